/**
 * A tool whose description ends with its price. Models read descriptions and no `_meta`, so the
 * price in `skillgate/price` does not reach them. The line is added when a list is written: stored
 * descriptions, their limit and the words of the search are without it. Nothing cuts a listed
 * description, so the line is always there. Bound by docs/service.md, Tool list, and ADR 0109.
 */
import { toCreditsNumber } from '../../ledger/amount.ts'
import { cachePerTool } from '../../mcp/once-per-tool.ts'
import type { Tool } from '../../skills/skill.ts'

/** Returns the same copy for the same tool, since entries are cached by the tool's identity. */
export const withPriceLine: (tool: Tool) => Tool = cachePerTool((tool) => ({
  ...tool,
  description: `${tool.description}\n\nPrice: ${toPriceText(tool)}.`,
}))

function toPriceText({ costsAsNamed, priceMicroCredits }: Tool): string {
  if (costsAsNamed === true) return 'that of the called tool'
  if (priceMicroCredits === 0) return 'free'
  const credits = toCreditsNumber(priceMicroCredits)
  return `${credits} ${credits === 1 ? 'credit' : 'credits'} a call`
}

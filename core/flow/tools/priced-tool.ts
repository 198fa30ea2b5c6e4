/**
 * A tool whose description ends with its price. Models read descriptions and no `_meta`, so the
 * price in `skillgate/price` does not reach them. The line is added when a list is written: stored
 * descriptions and the words of the search are without it. Bound by docs/service.md, Tool list, and
 * ADR 0109.
 */
import { toCreditsNumber } from '../../ledger/amount.ts'
import { cachePerTool } from '../../mcp/once-per-tool.ts'
import { DESCRIPTION_CHARS_MAX } from '../../skills/limits.ts'
import type { Tool } from '../../skills/skill.ts'

/** Returns the same copy for the same tool, since entries are cached by the tool's identity. */
export const withPriceLine: (tool: Tool) => Tool = cachePerTool((tool) => ({
  ...tool,
  description: addLine(tool.description, `\n\nPrice: ${toPriceText(tool)}.`),
}))

/**
 * Cuts a description that has no room for the line within DESCRIPTION_CHARS_MAX characters. A
 * pushed description may be longer than that limit, and is not cut.
 */
function addLine(description: string, line: string): string {
  const room = DESCRIPTION_CHARS_MAX - line.length
  if (description.length <= room) return description + line
  const chars = [...description]
  if (chars.length <= room || chars.length > DESCRIPTION_CHARS_MAX) return description + line
  return `${chars.slice(0, room - 1).join('')}…${line}`
}

function toPriceText({ costsAsNamed, priceMicroCredits }: Tool): string {
  if (costsAsNamed === true) return 'that of the called tool'
  if (priceMicroCredits === 0) return 'free'
  const credits = toCreditsNumber(priceMicroCredits)
  return `${credits} ${credits === 1 ? 'credit' : 'credits'} a call`
}

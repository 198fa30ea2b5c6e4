/**
 * Refuses with `key_scope` a call that the scope of its API key does not allow: another tool, or a
 * price over the key's limit. Bound by docs/service.md, Scopes of keys, and ADR 0108.
 */
import {
  allowsToolName,
  isAffordable,
  type KeyScope,
  type ScopedTool,
} from '../../access/key-scope.ts'
import type { Refusal } from '../../errors.ts'
import { formatCredits } from '../../ledger/amount.ts'

/** Returns the refusal, or undefined if the key may call the tool. */
export function findScopeRefusal(
  scope: KeyScope | undefined,
  tool: ScopedTool,
): Refusal | undefined {
  if (scope === undefined) return undefined
  if (!allowsToolName(scope, tool.name)) {
    const detail = `tools: this API key may not call ${tool.name}. The tool list and the search show the tools that it may call; an administrator can add this one to the key. It was not charged.`
    return { code: 'key_scope', detail }
  }
  if (isAffordable(scope, tool)) return undefined
  const [price, most] = [tool.priceMicroCredits, scope.maxCreditsPerCall ?? 0].map(formatCredits)
  const detail = `maxCreditsPerCall: ${tool.name} costs ${price} credits a call, and this API key may spend at most ${most} on one call. An administrator can raise the limit of the key. It was not charged.`
  return { code: 'key_scope', detail }
}

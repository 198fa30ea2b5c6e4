/**
 * tools/call of a built-in tool: authenticate, count the key's minute, answer. Free, no upstream,
 * nothing goes to execute. Bound by design section 4 (Built-in tools).
 */
import { adviceFor } from '../call/advice.ts'
import type { JsonObject } from '../json/json.ts'
import type { Profile } from '../ledger/ledger.ts'
import type { ToolResult } from '../mcp/content.ts'
import { textResult } from '../mcp/text-result.ts'
import type { Ports } from '../ports.ts'
import type { Settings } from '../settings.ts'
import type { BuiltInName } from '../skills/built-in.ts'
import { authenticate } from './authenticate.ts'
import { countRequest } from './count-minute.ts'
import type { LedgerReadNeeds } from './read-ledger.ts'
import { showAccount } from './show-account.ts'
import { showUsage } from './show-usage.ts'

export type BuiltInNeeds = LedgerReadNeeds &
  Pick<Ports, 'clock' | 'digests' | 'keys' | 'log' | 'minutes' | 'profiles'>

type BuiltIn = (
  ports: BuiltInNeeds,
  settings: Settings,
  profile: Profile,
  args: JsonObject,
) => ToolResult | Promise<ToolResult>

const BUILT_IN: { readonly [name in BuiltInName]: BuiltIn } = {
  account: (_ports, settings, profile, args) => showAccount(settings, profile, args),
  usage: (ports, _settings, profile, args) => showUsage(ports, profile, args),
}

/** Throws `Fault` when the store does not answer. */
export async function callBuiltIn(
  ports: BuiltInNeeds,
  settings: Settings,
  name: BuiltInName,
  call: { readonly authorization: string | undefined; readonly arguments: JsonObject },
): Promise<ToolResult> {
  const who = await authenticate(ports, call.authorization)
  if (who.kind !== 'principal') {
    const detail = who.kind === 'refused' ? who.refusal.detail : undefined
    return textResult(adviceFor({ code: 'unauthenticated', detail }), true)
  }
  const counted = await countRequest(ports, settings, who.principal)
  if (!counted.ok) return textResult(adviceFor(counted.error), true)
  if (counted.value === undefined) {
    return textResult('This key belongs to no user any more. Ask your administrator.', true)
  }
  return BUILT_IN[name](ports, settings, counted.value, call.arguments)
}

/** The built-in tool `<prefix>_account`: the caller's credits, tier and limits. Free, no upstream. */
import type { Principal } from '../access/principal.ts'
import type { JsonObject } from '../json/json.ts'
import { creditsNumber } from '../ledger/amount.ts'
import type { ToolResult } from '../mcp/content.ts'
import { textResult } from '../mcp/text-result.ts'
import type { Ports } from '../ports.ts'
import type { Settings } from '../settings.ts'
import { tierLimits } from '../settings.ts'

export type AccountNeeds = Pick<Ports, 'clock' | 'profiles'>

export async function showAccount(
  ports: AccountNeeds,
  settings: Settings,
  principal: Principal,
  args: JsonObject,
): Promise<ToolResult> {
  const unknown = Object.keys(args)
  if (unknown.length > 0) {
    return textResult('This tool takes no arguments. Send {}.', true)
  }
  const profile = await ports.profiles.read(principal.uid)
  if (profile === undefined) {
    return textResult('This key belongs to no user any more. Ask your administrator.', true)
  }
  const limits = tierLimits(settings, profile.tier)
  const account = {
    username: profile.username,
    tier: profile.tier,
    credits: creditsNumber(profile.credits),
    credits_on_hold: creditsNumber(sumOfHolds(profile.holds)),
    calls_in_flight: Object.keys(profile.holds).length,
    limits: { calls_per_minute: limits.callsPerMinute, calls_in_flight: limits.holdsMax },
  }
  return {
    content: [{ type: 'text', text: JSON.stringify(account) }],
    structuredContent: account,
    isError: false,
  }
}

function sumOfHolds(holds: { readonly [callId: string]: { readonly amount: number } }): number {
  return Object.values(holds).reduce((sum, hold) => sum + hold.amount, 0)
}

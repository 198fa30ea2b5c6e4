/** The built-in tool `<prefix>_account`: the caller's credits, tier, limits and what is left of them. Free. */
import type { JsonObject } from '../../json/json.ts'
import { creditsNumber } from '../../ledger/amount.ts'
import type { Profile } from '../../ledger/ledger.ts'
import type { ToolResult } from '../../mcp/content.ts'
import { textResult } from '../../mcp/text-result.ts'
import type { Settings } from '../../settings.ts'
import { tierLimits } from '../../settings.ts'

/** `profile` is the caller's, read for this call; `minute` is what is left of it behind this call. */
export function showAccount(
  settings: Settings,
  profile: Profile,
  minute: { readonly remaining: number; readonly resetSec: number },
  args: JsonObject,
): ToolResult {
  const unknown = Object.keys(args)
  if (unknown.length > 0) {
    return textResult('This tool takes no arguments. Send {}.', true)
  }
  const limits = tierLimits(settings, profile.tier)
  const account = {
    username: profile.username,
    tier: profile.tier,
    credits: creditsNumber(profile.credits),
    credits_on_hold: creditsNumber(sumOfHolds(profile.holds)),
    calls_in_flight: Object.keys(profile.holds).length,
    calls_left_this_minute: minute.remaining,
    next_minute_in_sec: minute.resetSec,
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

/**
 * Answers a call of the built-in tool `<prefix>_account`. Loaded with its first call by
 * show-account.ts.
 */
import { toCreditsNumber } from '../../ledger/amount.ts'
import { countTasks } from '../../ledger/hold-deadline.ts'
import type { ToolResult } from '../../mcp/content.ts'
import { makeTextResult } from '../../mcp/text-result.ts'
import { findTierLimits } from '../../settings.ts'
import { addLateCredits } from '../migration/v0-view.ts'
import { toBudgetFields, toScopeFields } from './budget-fields.ts'
import type { BuiltInPorts, UserRequest } from './built-in-tool.ts'

/** Returns credits, limits and budgets of the caller. Throws `Fault` if the store fails. */
export async function showAccount(
  { arguments: args, caller, settings }: UserRequest,
  ports: BuiltInPorts,
): Promise<ToolResult> {
  if (Object.keys(args).length > 0) {
    return makeTextResult('This tool takes no arguments. Send {}.', true)
  }
  const { minute } = caller
  const profile = await addLateCredits(ports, caller.profile)
  const limits = findTierLimits(settings, profile.tier)
  const account = {
    username: profile.username,
    tier: profile.tier,
    credits: toCreditsNumber(profile.credits),
    credits_on_hold: toCreditsNumber(sumHolds(profile.holds)),
    calls_in_flight: Object.keys(profile.holds).length - countTasks(profile),
    tasks_running: countTasks(profile),
    calls_left_this_minute: minute.remaining,
    next_minute_in_sec: minute.resetSec,
    limits: { calls_per_minute: limits.callsPerMinute, calls_in_flight: limits.holdsMax },
    ...toBudgetFields(caller),
    ...toScopeFields(caller),
  }
  return {
    content: [{ type: 'text', text: JSON.stringify(account) }],
    structuredContent: account,
    isError: false,
  }
}

function sumHolds(holds: { readonly [callId: string]: { readonly amount: number } }): number {
  return Object.values(holds).reduce((sum, hold) => sum + hold.amount, 0)
}

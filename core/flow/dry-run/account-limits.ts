/**
 * What a user's account has left, and why it would refuse a call now. Judges by the rules of calls, and counts and
 * holds nothing.
 */
import { judgeCount, minuteOf } from '../../access/minute.ts'
import { disabledRefusal } from '../../access/user-state.ts'
import { type DryRunProblem, problemIn } from '../../call/dry-run.ts'
import type { Refusal } from '../../errors.ts'
import { creditsNumber } from '../../ledger/amount.ts'
import { keyBudgetOf } from '../../ledger/budget.ts'
import type { Profile } from '../../ledger/ledger.ts'
import type { Ports } from '../../ports/ports.ts'
import { type Settings, tierLimits } from '../../settings.ts'
import type { CallableRecord } from '../../skills/skill.ts'
import { storedPrice } from '../../skills/stored-skill.ts'
import { groupsOf, isVisible, NO_GROUPS } from '../../skills/visible.ts'
import { holdProblem } from '../execute/hold-problem.ts'
import { type BudgetView, shownBudget } from '../users/budget-view.ts'

export type AccountNeeds = Pick<Ports, 'clock'> & {
  readonly keys: Pick<Ports['keys'], 'list'>
  readonly rateCounters: Pick<Ports['rateCounters'], 'read'>
}

/** Keys whose minute is shown: the newest that have not expired. Each is one read. */
export const KEYS_SHOWN_MAX = 10

export type KeyLeft = {
  readonly keyId: string
  readonly keyPrefix: string
  readonly callsLeft: number
  readonly monthlyBudget?: BudgetView
}

export type AccountLimits = {
  readonly credits: number
  readonly monthlyBudget?: BudgetView
  /** Calls that hold credits now, and the most at once. */
  readonly holds: number
  readonly holdsMax: number
  /** Each key has calls of its own. */
  readonly callsPerMinute: number
  readonly resetSec: number
  readonly keys: readonly KeyLeft[]
}

export type Account = {
  readonly limits: AccountLimits
  readonly problems: readonly DryRunProblem[]
}

export async function accountOf(
  ports: AccountNeeds,
  settings: Settings,
  profile: Profile,
  record: CallableRecord,
): Promise<Account> {
  const nowMs = ports.clock.nowMs()
  const { callsPerMinute: limit, holdsMax } = tierLimits(settings, profile.tier)
  const { resetSec } = judgeCount({ count: 0, limit, nowMs })
  return {
    limits: {
      credits: creditsNumber(profile.credits),
      ...shownBudget(profile.budget, nowMs),
      holds: Object.keys(profile.holds).length,
      holdsMax,
      callsPerMinute: limit,
      resetSec,
      keys: await keysLeft(ports, profile, { limit, nowMs }),
    },
    problems: refusalsOf(settings, profile, record, nowMs).map(problemIn),
  }
}

async function keysLeft(
  { keys, rateCounters }: AccountNeeds,
  profile: Profile,
  { limit, nowMs }: { readonly limit: number; readonly nowMs: number },
): Promise<readonly KeyLeft[]> {
  const all = await keys.list(profile.uid)
  const valid = all.filter(({ expiresAtMs }) => expiresAtMs > nowMs).slice(0, KEYS_SHOWN_MAX)
  return Promise.all(
    valid.map(async ({ keyHash, keyPrefix }) => {
      const count = await rateCounters.read({ keyHash, minute: minuteOf(nowMs) })
      return {
        keyId: keyHash,
        keyPrefix,
        callsLeft: Math.max(0, limit - count),
        ...shownBudget(keyBudgetOf(profile, keyHash), nowMs),
      }
    }),
  )
}

/** In the order in which a call would meet them. */
function refusalsOf(
  settings: Settings,
  profile: Profile,
  record: CallableRecord,
  nowMs: number,
): readonly Refusal[] {
  const { disabled, groups = NO_GROUPS } = profile
  const refusals: Refusal[] = disabled === undefined ? [] : [disabledRefusal(disabled)]
  const wanted = record.source === 'private' ? NO_GROUPS : groupsOf(record)
  if (!isVisible(wanted, groups)) refusals.push(unseen(wanted))
  const price = storedPrice(record, settings.prefix)
  // Budgets of single keys are shown with the keys.
  const held = holdProblem(settings, profile, { record, price, heldAtMs: nowMs, keyHash: '' })
  return held === undefined ? refusals : [...refusals, held]
}

function unseen(groups: readonly string[]): Refusal {
  const names = groups.join(', ')
  const detail = `skill: it is for the groups ${names}, and this user is in none of them. The user's calls find no such skill.`
  return { code: 'unknown_skill', detail }
}

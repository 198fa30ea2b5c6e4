/**
 * Shows what a user's account has left, and why the account would refuse a call now. The rules are
 * those of calls, but nothing is counted and no credits are held. Bound by docs/service.md, Dry
 * runs.
 */
import { decideRate, toMinute } from '../../access/minute.ts'
import { toCountedHash } from '../../access/sub-key.ts'
import { toDisabledRefusal } from '../../access/user-state.ts'
import { type DryRunProblem, toDryRunProblem } from '../../call/dry-run.ts'
import type { Refusal } from '../../errors.ts'
import { toCreditsNumber } from '../../ledger/amount.ts'
import { findKeyBudget } from '../../ledger/budget.ts'
import { countTasks } from '../../ledger/hold-deadline.ts'
import { decideHold } from '../../ledger/judge-hold.ts'
import { findKeyDay } from '../../ledger/key-days.ts'
import type { Profile } from '../../ledger/ledger.ts'
import type { Ports } from '../../ports/ports.ts'
import { findTierLimits, type Settings } from '../../settings.ts'
import type { CallableRecord } from '../../skills/skill.ts'
import { readStoredPrice } from '../../skills/stored-skill.ts'
import { getSkillGroups, isVisible, NO_GROUPS } from '../../skills/visible.ts'
import { toHoldRefusal } from '../execute/hold-credits.ts'
import { type BudgetView, toBudgetMember } from '../users/budget-view.ts'
import { type KeyDayView, toKeyDayMember } from '../users/key-day-view.ts'

export type AccountNeeds = Pick<Ports, 'clock'> & {
  readonly keys: Pick<Ports['keys'], 'list'>
  readonly rateCounters: Pick<Ports['rateCounters'], 'read'>
}

/** Keys whose minute is shown: the newest that have not expired. Each key costs one read. */
export const KEYS_SHOWN_MAX = 10

export type KeyLeft = {
  readonly keyId: string
  readonly keyPrefix: string
  readonly callsLeft: number
  readonly monthlyBudget?: BudgetView
  readonly callsPerDay?: KeyDayView
}

export type AccountLimits = {
  readonly credits: number
  readonly monthlyBudget?: BudgetView
  /** Calls that hold credits now, and the most at once. */
  readonly holds: number
  readonly holdsMax: number
  /** The limit of each key; the keys of a user do not share it. */
  readonly callsPerMinute: number
  readonly resetSec: number
  readonly keys: readonly KeyLeft[]
}

export type Account = {
  readonly limits: AccountLimits
  readonly problems: readonly DryRunProblem[]
}

/**
 * The limits of this user, and each refusal that a call of `record` would meet now. Amounts are
 * credits. Throws `Fault` if the store fails.
 */
export async function readAccount(
  ports: AccountNeeds,
  settings: Settings,
  profile: Profile,
  record: CallableRecord,
): Promise<Account> {
  const nowMs = ports.clock.nowMs()
  const { callsPerMinute: limit, holdsMax } = findTierLimits(settings, profile.tier)
  const { resetSec } = decideRate({ count: 0, limit, nowMs })
  return {
    limits: {
      credits: toCreditsNumber(profile.credits),
      ...toBudgetMember(profile.budget, nowMs),
      holds: Object.keys(profile.holds).length - countTasks(profile),
      holdsMax,
      callsPerMinute: limit,
      resetSec,
      keys: await readKeysLeft(ports, profile, { limit, nowMs }),
    },
    problems: findRefusals(settings, profile, record, nowMs).map(toDryRunProblem),
  }
}

async function readKeysLeft(
  { keys, rateCounters }: AccountNeeds,
  profile: Profile,
  { limit, nowMs }: { readonly limit: number; readonly nowMs: number },
): Promise<readonly KeyLeft[]> {
  const all = await keys.list(profile.uid)
  const valid = all.filter(({ expiresAtMs }) => expiresAtMs > nowMs).slice(0, KEYS_SHOWN_MAX)
  return Promise.all(
    valid.map(async (key) => {
      const { keyHash, keyPrefix } = key
      const counter = { keyHash: toCountedHash(key), minute: toMinute(nowMs) }
      const count = await rateCounters.read(counter)
      return {
        keyId: keyHash,
        keyPrefix,
        callsLeft: Math.max(0, limit - count),
        ...toBudgetMember(findKeyBudget(profile, keyHash), nowMs),
        ...toKeyDayMember(findKeyDay(profile, keyHash), nowMs),
      }
    }),
  )
}

/** The refusals in the order in which a call would meet them. */
function findRefusals(
  settings: Settings,
  profile: Profile,
  record: CallableRecord,
  nowMs: number,
): readonly Refusal[] {
  const { disabled, groups = NO_GROUPS } = profile
  const refusals: Refusal[] = disabled === undefined ? [] : [toDisabledRefusal(disabled)]
  const skillGroups = record.source === 'private' ? NO_GROUPS : getSkillGroups(record)
  if (!isVisible(skillGroups, groups)) refusals.push(refuseUnseen(skillGroups))
  const held = findHoldRefusal(settings, profile, record, nowMs)
  return held === undefined ? refusals : [...refusals, held]
}

/**
 * Returns why the account would refuse a hold of the price now, or undefined. Whether the user
 * is active is not checked here. Limits of single keys are not checked either: they are shown with
 * the keys.
 */
function findHoldRefusal(
  settings: Settings,
  profile: Profile,
  record: CallableRecord,
  heldAtMs: number,
): Refusal | undefined {
  const price = readStoredPrice(record, settings.prefix)
  if (price === 0) return undefined
  const { disabled: _, ...seen } = profile
  const { holdsMax } = findTierLimits(settings, profile.tier)
  const { skillId, source } = record
  const keyHash = ''
  const hold = { amount: price, heldAtMs, writeToken: '', skillId, source }
  const answer = decideHold(seen, { callId: '', holdsMax, keyHash, hold, seen })
  if (answer.kind !== 'refused') return undefined
  const refused = toHoldRefusal(answer, { price, holdsMax, heldAtMs, keyHash })
  return refused.ok ? undefined : refused.error
}

function refuseUnseen(groups: readonly string[]): Refusal {
  const names = groups.join(', ')
  const detail = `skill: it is for the groups ${names}, and this user is in none of them. The user's calls find no such skill.`
  return { code: 'unknown_skill', detail }
}

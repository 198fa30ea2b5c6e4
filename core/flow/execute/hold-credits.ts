/**
 * Sets the price aside before the upstream is called: one conditional write. A free skill holds
 * nothing, unless its key has calls per day: then a hold of 0 counts the call in the same way.
 * Bound by docs/service.md, Holds.
 *
 * The sweep visits the users of a minute once the next minute is over, when each hold of that
 * minute is stale. So a hold is placed only in a minute for which its user has a sweep entry. A
 * call that was counted in an earlier minute than its hold enters the user again.
 *
 * Before the hold, a call claims the state that it brings back (ADR 0096) and ends the user's stale
 * holds. If credits are missing, credits of the earlier service are moved, and the hold is retried.
 */
import { toMinute } from '../../access/minute.ts'
import { type Disabled, toDisabledRefusal } from '../../access/user-state.ts'
import { err, ok, type Result, refuse } from '../../errors.ts'
import { toUtcSecond } from '../../json/utc-time.ts'
import { formatCredits, MICRO_PER_CREDIT } from '../../ledger/amount.ts'
import { countCall } from '../../ledger/budget.ts'
import { sweepEntryMs } from '../../ledger/hold-deadline.ts'
import { findUsedUpDay, hasDayLimit, toDayEndMs } from '../../ledger/key-days.ts'
import type { Hold, HoldAnswer, MicroCredits, Profile } from '../../ledger/ledger.ts'
import { TASKS_MAX } from '../../ledger/limits.ts'
import { toRenewalDay } from '../../ledger/month.ts'
import type { Ports } from '../../ports/ports.ts'
import { findTierLimits, type Settings } from '../../settings.ts'
import { USER_DELETED } from '../access/authenticate.ts'
import { loadAndMigrateUser } from '../migration/migrate-late.ts'
import type { ExecuteNeeds } from './execute-request.ts'
import { hasStaleHold, healHolds, keepHoldsOfJobs } from './heal-holds.ts'
import { claimState, freeState } from './input-state.ts'
import type { ReadyCall } from './validate-call.ts'

type Needs = Pick<Ports, 'clock' | 'ids' | 'ledger' | 'sweepEntries'>

/**
 * Returns the profile after the hold. Refuses with `insufficient_credits`, `budget_reached`,
 * `daily_calls_reached`, `too_many_holds`, `unauthenticated`, `user_disabled` or `conflict` (the
 * call already runs).
 */
export async function holdCredits(
  ports: Needs,
  settings: Settings,
  call: ReadyCall,
): Promise<Result<Profile>> {
  const price = call.skill.priceMicroCredits
  const { untilMs } = call
  const { keyHash, parentHash } = call.principal
  // A task of a free skill has a hold of nothing: it is what ends the task if its process dies.
  const needsHold = price > 0 || untilMs !== undefined || hasDayLimit(call.profile, call.principal)
  if (!needsHold) return ok(call.profile)
  const heldAtMs = ports.clock.nowMs()
  const until = untilMs === undefined ? {} : { untilMs }
  const { uid } = call.principal
  const minute = toMinute(sweepEntryMs({ heldAtMs, ...until }))
  if (minute !== call.enteredMinute) await ports.sweepEntries.put({ uid, minute })
  const holdsMax =
    untilMs === undefined ? findTierLimits(settings, call.profile.tier).holdsMax : TASKS_MAX
  const held = await ports.ledger.hold({
    uid,
    callId: call.callId,
    holdsMax,
    keyHash,
    ...(parentHash === undefined ? {} : { parentHash }),
    seen: call.profile,
    hold: {
      amount: price,
      heldAtMs,
      writeToken: ports.ids.token(9),
      skillId: call.skill.skillId,
      source: call.skill.source,
      ...until,
    },
  })
  if (held.kind === 'held') return ok(held.profile)
  const isTask = untilMs !== undefined
  return toHoldRefusal(held, { price, holdsMax, heldAtMs, keyHash, parentHash, isTask })
}

/** The hold that was refused. */
type RefusedHold = {
  readonly price: MicroCredits
  readonly holdsMax: number
  readonly heldAtMs: number
  readonly keyHash: string | undefined
  readonly isTask?: boolean
  readonly parentHash?: string | undefined
}

/**
 * The ledger's refusal of a hold, in words for the caller. Also words the problems of a dry run.
 */
export function toHoldRefusal(
  answer: HoldAnswer & { readonly kind: 'refused' },
  refused: RefusedHold,
): Result<never> {
  const { holdsMax, isTask = false, price } = refused
  switch (answer.why) {
    case 'insufficient_credits':
      return refuse(
        'insufficient_credits',
        `This call costs ${withUnit(price)}, and the balance is ${formatCredits(answer.profile?.credits ?? 0)}. Ask your administrator for a grant.`,
      )
    case 'budget_reached':
      return refuseBudget(answer.profile, refused)
    case 'daily_calls_reached':
      return refuseDay(answer.profile, refused)
    case 'too_many_holds':
      return refuse(
        'too_many_holds',
        `This user has ${holdsMax} ${isTask ? 'tasks that run' : 'calls in flight'}, the most allowed at once. Wait for one to end, then send it again.`,
        { retryAfterSec: 1 },
      )
    case 'no_profile':
      return err(USER_DELETED)
    case 'disabled':
      return err(toDisabledRefusal(answer.profile?.disabled ?? UNKNOWN_STATE))
    case 'already_held':
      return refuse('conflict', 'call id: this call is already running. Wait for its answer.', {
        retryAfterSec: 1,
      })
    default:
      return answer.why satisfies never
  }
}

/** Used when the ledger refuses a hold as `disabled` and returns no profile. */
const UNKNOWN_STATE: Disabled = { state: 'disabled', reason: 'no reason is known', sinceMs: 0 }

/**
 * Names the budget and its renewal: the caller can wait for that day, or have the budget raised.
 */
function refuseBudget(
  profile: Profile | undefined,
  { price: amount, ...call }: RefusedHold,
): Result<never> {
  const reached = countCall(profile ?? {}, { amount, ...call }).reached
  // The ledger refused the hold by this same profile, so a budget is reached.
  if (reached === undefined) throw new Error('hold: was refused by a budget that has room')
  const { limit, month, spent } = reached.budget
  const whose = WHOSE[reached.whose]
  return refuse(
    'budget_reached',
    `The monthly budget ${whose} is ${withUnit(limit)}, of which ${formatCredits(spent)} ${spent === MICRO_PER_CREDIT ? 'is' : 'are'} spent or on hold in ${month}, and this call costs ${withUnit(amount)}. It renews on ${toRenewalDay(month)} (UTC). Ask your administrator to raise it.`,
  )
}

const WHOSE = {
  user: 'of this user',
  key: 'of this API key',
  parent: 'of the key that issued this API key',
} as const

/** Names the limit and the time at which the key may call again. */
function refuseDay(profile: Profile | undefined, call: RefusedHold): Result<never> {
  const reached = findUsedUpDay(profile ?? {}, call)
  // The ledger refused the hold by this same profile, so its day is used up.
  if (reached === undefined) throw new Error('hold: was refused by a day that has calls left')
  const { calls, day, limit } = reached.day
  const who = reached.whose === 'key' ? 'this API key' : 'the key that issued this API key'
  const endMs = toDayEndMs(day)
  return refuse(
    'daily_calls_reached',
    `callsPerDay: ${who} may make ${limit} ${limit === 1 ? 'call' : 'calls'} a day and has made ${calls} on ${day} (UTC). It may call again from ${toUtcSecond(endMs)}. An administrator can raise the limit.`,
    { retryAfterSec: Math.max(1, Math.ceil((endMs - call.heldAtMs) / 1_000)) },
  )
}

function withUnit(amount: number): string {
  return `${formatCredits(amount)} ${amount === MICRO_PER_CREDIT ? 'credit' : 'credits'}`
}

/**
 * Claims the state that the call brings back, if any, then holds the price. If the hold fails, the
 * state is freed, so another call may bring it. Refuses like {@link holdCredits}, or with
 * `input_state_invalid`. Throws `Fault` if the store fails.
 */
export async function claimAndHold(
  ports: ExecuteNeeds,
  settings: Settings,
  call: ReadyCall,
): Promise<Result<Profile>> {
  const { stateHash } = call
  if (stateHash === undefined) return hold(ports, settings, call)
  const use = { ...call, stateHash }
  const claimed = await claimState(ports, use)
  if (!claimed.ok) return claimed
  let held: Result<Profile> | undefined
  try {
    held = await hold(ports, settings, call)
  } finally {
    if (held?.ok !== true) await freeState(ports, use)
  }
  return held
}

function hold(ports: ExecuteNeeds, settings: Settings, call: ReadyCall): Promise<Result<Profile>> {
  if (call.standing !== undefined) return keepHold(ports, call, call.standing)
  if (hasStaleHold(call.profile, ports.clock.nowMs())) return healAndHold(ports, settings, call)
  // Nearly every call comes this way, and creates no further promise.
  return call.profile.v0 === undefined
    ? holdCredits(ports, settings, call)
    : holdOrMigrate(ports, settings, call)
}

/** The round of a task that asked goes on with the hold of its first round. */
async function keepHold(
  ports: ExecuteNeeds,
  { callId, principal: { uid }, untilMs = 0 }: ReadyCall,
  { placement }: Hold,
): Promise<Result<Profile>> {
  const kept = await prolongHold(ports, { uid, callId, placement, untilMs })
  return kept === undefined ? HOLD_ENDED : ok(kept)
}

export const HOLD_ENDED = refuse(
  'timed_out',
  'The time of this task was over before it could go on. It was not charged.',
)

/**
 * Moves the deadline of a task's hold, behind the sweep entry of the minute in which it will be
 * stale. Returns undefined if the hold is gone. Throws `Fault` if the store fails.
 */
export async function prolongHold(
  { ledger, sweepEntries }: Pick<Ports, 'ledger' | 'sweepEntries'>,
  of: Parameters<Ports['ledger']['prolong']>[0],
): Promise<Profile | undefined> {
  const { uid, untilMs } = of
  await sweepEntries.put({ uid, minute: toMinute(sweepEntryMs({ heldAtMs: untilMs, untilMs })) })
  return ledger.prolong(of)
}

/** Ends the user's stale holds first, since this call may need their credits. */
async function healAndHold(
  ports: ExecuteNeeds,
  settings: Settings,
  call: ReadyCall,
): Promise<Result<Profile>> {
  await healHolds(ports, call.profile, keepHoldsOfJobs(ports))
  return holdOrMigrate(ports, settings, call)
}

async function holdOrMigrate(
  ports: ExecuteNeeds,
  settings: Settings,
  call: ReadyCall,
): Promise<Result<Profile>> {
  const held = await holdCredits(ports, settings, call)
  const { v0, uid } = call.profile
  if (held.ok || held.error.code !== 'insufficient_credits' || v0 === undefined) return held
  // The earlier service may have added credits since the move, and this call may need them.
  const { amount } = await loadAndMigrateUser(ports, { uid })
  return amount > 0 ? holdCredits(ports, settings, call) : held
}

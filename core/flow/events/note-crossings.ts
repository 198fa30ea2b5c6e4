/**
 * Records an event if a balance falls to its threshold, a budget is spent or a key has made its
 * calls of the day. One transaction writes
 * the event and a mark in the profile, after the write that moved the money. Bound by ADR 0052.
 *
 *   release ─▶ profile after it ─▶ crossing? ─▶ mark and event, if the mark is unchanged ─▶ sender
 *      └─ crash: the sweep reads users with calls, finds a low balance without a mark, records it
 *
 * Two releases see one low balance: the first one's mark makes the second's transaction fail, and
 * the second then finds the event recorded. A grant comes between read and mark: the credits
 * differ, so the transaction fails and the balance is compared again. If it is above the threshold
 * now, the mark is removed. So a crossing that a grant undoes before it is recorded has no event,
 * and no crossing has two.
 */

import { makeCallId } from '../../call/call-id.ts'
import { Fault } from '../../errors.ts'
import { createEvent } from '../../events/event.ts'
import type { JsonObject } from '../../json/json.ts'
import { toUtcDay } from '../../json/utc-time.ts'
import { toCreditsNumber } from '../../ledger/amount.ts'
import { computeBalance, type EventMark } from '../../ledger/event-marks.ts'
import { isUsedUp, toDayEndMs } from '../../ledger/key-days.ts'
import type { Budget, KeyDay, MicroCredits, Profile } from '../../ledger/ledger.ts'
import { toRenewalDay } from '../../ledger/month.ts'
import type { Ports } from '../../ports/ports.ts'
import type { EventType } from '../../settings/event-target.ts'
import type { Settings } from '../../settings.ts'

export type CrossingNeeds = Pick<Ports, 'clock' | 'events' | 'ids' | 'log'>

/** Undefined if the stage sends no events; then nothing is marked. */
export type EventSettings = Settings['events']

/**
 * Tries against concurrent writes to the same user. After these, the next call or the sweep records
 * the event.
 */
const MARK_TRIES_MAX = 5
/** Bytes of the random part of an event's id. */
const EVENT_ID_BYTES = 12

/** A profile as it was read, and an earlier reading of the same profile if there is one. */
type ProfileReading = { readonly profile: Profile; readonly before?: Profile }

/**
 * Returns false if an event could not be recorded; the next call or the sweep tries again. Never
 * throws a `Fault`.
 */
export async function recordCrossings(
  ports: CrossingNeeds,
  settings: EventSettings,
  seen: ProfileReading,
): Promise<boolean> {
  const { profile } = seen
  if (settings === undefined || profile.disabled !== undefined) return true
  try {
    await noteBalance(ports, profile.lowBalanceAt ?? settings.lowBalance, seen)
    await noteLimits(ports, profile)
    return true
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    ports.log.note('warn', 'event-not-recorded', { uid: profile.uid }, cause)
    return false
  }
}

async function noteLimits(ports: CrossingNeeds, profile: Profile): Promise<void> {
  for (const one of listBudgets(profile)) {
    if (isSpent(one.budget)) await recordSpentBudget(ports, profile, one)
  }
  for (const [keyHash, day] of Object.entries(profile.keyDays ?? {})) {
    if (isUsedUp(day)) await recordUsedUpDay(ports, profile, { day, keyHash })
  }
}

async function noteBalance(
  ports: CrossingNeeds,
  threshold: MicroCredits,
  { before, profile }: ProfileReading,
): Promise<void> {
  const { uid } = profile
  const stale = findStaleMark(before, threshold)
  let now = profile
  for (let tries = 1; tries <= MARK_TRIES_MAX; tries += 1) {
    const { credits, lowBalanceTold: eventId } = now
    const balance = computeBalance(now)
    if (balance > threshold)
      return eventId === undefined ? undefined : ports.events.rearm({ uid, told: eventId })
    if (eventId !== undefined && eventId !== stale) return
    const data = { uid, balance: toCreditsNumber(balance), threshold: toCreditsNumber(threshold) }
    const mark: EventMark = { of: 'balance', seen: eventId, credits }
    const answer = await recordEvent(ports, uid, mark, { type: 'low_balance', data })
    if (answer.recorded || answer.profile === undefined) return
    now = answer.profile
  }
}

/**
 * The mark of an earlier crossing, if the earlier reading had this mark while its balance was above
 * the threshold. Event ids are unique, so the same mark in the current profile means that no later
 * crossing was recorded. Usually undefined.
 */
function findStaleMark(before: Profile | undefined, threshold: MicroCredits): string | undefined {
  return before !== undefined && computeBalance(before) > threshold
    ? before.lowBalanceTold
    : undefined
}

/** A budget and the hash of its key; undefined for the budget of the user. */
type OneBudget = { readonly budget: Budget; readonly keyHash: string | undefined }

function listBudgets({ budget, keyBudgets = {} }: Profile): readonly OneBudget[] {
  return [
    ...(budget === undefined ? [] : [{ budget, keyHash: undefined }]),
    ...Object.entries(keyBudgets).map(([keyHash, one]) => ({ budget: one, keyHash })),
  ]
}

/** Only a refused call reaches a budget of 0, see `recordRefusedByBudget`. */
function isSpent({ limit, spent }: Budget): boolean {
  return limit > 0 && spent >= limit
}

/** Records that the budget is spent, unless this month has such an event. May throw `Fault`. */
export async function recordSpentBudget(
  ports: CrossingNeeds,
  { uid }: Pick<Profile, 'uid'>,
  { budget, keyHash }: OneBudget,
): Promise<void> {
  const { limit, month, sinceMs, spent, toldMonth } = budget
  if (toldMonth === month) return
  const data = {
    uid,
    ...(keyHash === undefined ? {} : { keyId: keyHash }),
    month,
    limit: toCreditsNumber(limit),
    spent: toCreditsNumber(spent),
    renewsOn: toRenewalDay(month),
  }
  const mark = { of: 'budget', keyHash, sinceMs, month } as const
  await recordEvent(ports, uid, mark, { type: 'budget_reached', data })
}

/** Records that a key has made its calls of the day, unless this day has such an event. */
export async function recordUsedUpDay(
  ports: CrossingNeeds,
  { uid }: Pick<Profile, 'uid'>,
  {
    day: { calls, day, limit, toldDay },
    keyHash,
  }: { readonly day: KeyDay; readonly keyHash: string },
): Promise<void> {
  if (toldDay === day) return
  const data = { uid, keyId: keyHash, day, limit, calls, renewsOn: toUtcDay(toDayEndMs(day)) }
  const mark = { of: 'day', keyHash, day } as const
  await recordEvent(ports, uid, mark, { type: 'daily_calls_reached', data })
}

async function recordEvent(
  ports: CrossingNeeds,
  uid: string,
  mark: EventMark,
  { data, type }: { readonly type: EventType; readonly data: JsonObject },
): ReturnType<Ports['events']['record']> {
  const event = createEventNow(ports, type, data)
  const answer = await ports.events.record({ uid, mark, event })
  if (answer.recorded) {
    ports.log.note('info', 'event-recorded', { uid, eventId: event.eventId, type })
  }
  return answer
}

/** An event of this moment with a new id. */
export function createEventNow(
  { clock, ids }: Pick<Ports, 'clock' | 'ids'>,
  type: EventType,
  data: JsonObject,
): ReturnType<typeof createEvent> {
  const nowMs = clock.nowMs()
  return createEvent({ eventId: makeCallId(nowMs, ids.token(EVENT_ID_BYTES)), type, data, nowMs })
}

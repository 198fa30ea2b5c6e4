/**
 * Records an event where a balance has become low or a budget is reached: the mark in the profile and the
 * event in one transaction, after the write that moved the money. Bound by ADR 0052.
 *
 *   release ─▶ profile after it ─▶ crossing? ─▶ mark and event, if the mark is as it was seen ─▶ sender
 *      └─ dies here: the sweep reads each user with calls, finds a low balance without a mark, and records it
 * Two releases see one low balance at once: the first one's mark makes the second's transaction fail, and the
 * second then finds the event recorded. A grant lands between read and mark: the credits differ, the
 * transaction fails, and the balance is judged anew; above the threshold the mark is removed. So a crossing
 * that a grant has undone before it was recorded has no event, and no crossing has two.
 */

import { callIdAt } from '../../call/call-id.ts'
import { Fault } from '../../errors.ts'
import { type EventType, newEvent } from '../../events/event.ts'
import type { JsonObject } from '../../json/json.ts'
import { creditsNumber } from '../../ledger/amount.ts'
import { balanceOf, type EventMark } from '../../ledger/event-marks.ts'
import type { Budget, MicroCredits, Profile } from '../../ledger/ledger.ts'
import { renewalOf } from '../../ledger/month.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'

export type NoteNeeds = Pick<Ports, 'clock' | 'events' | 'ids' | 'log'>

/** Undefined: events go nowhere, and nothing is marked. */
export type EventSettings = Settings['events']

/** Tries against other writes of one user between read and mark; after them the next call or the sweep records it. */
const MARK_TRIES_MAX = 5
/** Random part of an event's id. */
const EVENT_ID_BYTES = 12

/** A profile as it was read, and an earlier reading of it where there is one. */
type Sight = { readonly profile: Profile; readonly before?: Profile }

/**
 * False where something could not be recorded; the next call or the sweep sees it again. Never throws a
 * `Fault`.
 */
export async function noteCrossings(
  ports: NoteNeeds,
  settings: EventSettings,
  seen: Sight,
): Promise<boolean> {
  const { profile } = seen
  if (settings === undefined || profile.disabled !== undefined) return true
  try {
    await noteBalance(ports, profile.lowBalanceAt ?? settings.lowBalance, seen)
    for (const one of budgetsIn(profile)) {
      if (isSpent(one.budget)) await noteBudget(ports, profile, one)
    }
    return true
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    ports.log.note('warn', 'event-not-recorded', { uid: profile.uid }, cause)
    return false
  }
}

async function noteBalance(
  ports: NoteNeeds,
  threshold: MicroCredits,
  { before, profile }: Sight,
): Promise<void> {
  const { uid } = profile
  const stale = staleMark(before, threshold)
  let now = profile
  for (let tries = 1; tries <= MARK_TRIES_MAX; tries += 1) {
    const { credits, lowBalanceTold: eventId } = now
    const balance = balanceOf(now)
    if (balance > threshold)
      return eventId === undefined ? undefined : ports.events.rearm({ uid, told: eventId })
    if (eventId !== undefined && eventId !== stale) return
    const data = { uid, balance: creditsNumber(balance), threshold: creditsNumber(threshold) }
    const mark: EventMark = { of: 'balance', seen: eventId, credits }
    const answer = await record(ports, uid, mark, { type: 'low_balance', data })
    if (answer.recorded || answer.profile === undefined) return
    now = answer.profile
  }
}

/**
 * The mark of an earlier crossing, if the earlier reading had it while its balance was above the threshold.
 * Event ids are unique, so the same mark in the profile now means that no later crossing was recorded.
 * Undefined in most cases.
 */
function staleMark(before: Profile | undefined, threshold: MicroCredits): string | undefined {
  return before !== undefined && balanceOf(before) > threshold ? before.lowBalanceTold : undefined
}

/** A budget, and the hash of its key; undefined for the user's. */
type OneBudget = { readonly budget: Budget; readonly keyHash: string | undefined }

function budgetsIn({ budget, keyBudgets = {} }: Profile): readonly OneBudget[] {
  return [
    ...(budget === undefined ? [] : [{ budget, keyHash: undefined }]),
    ...Object.entries(keyBudgets).map(([keyHash, one]) => ({ budget: one, keyHash })),
  ]
}

/** A budget of 0 is reached by the first call that it refuses. */
function isSpent({ limit, spent }: Budget): boolean {
  return limit > 0 && spent >= limit
}

/** Records that the budget is reached, unless this month has such an event. May throw `Fault`. */
export async function noteBudget(
  ports: NoteNeeds,
  { uid }: Pick<Profile, 'uid'>,
  { budget, keyHash }: OneBudget,
): Promise<void> {
  const { limit, month, sinceMs, spent, toldMonth } = budget
  if (toldMonth === month) return
  const data = {
    uid,
    ...(keyHash === undefined ? {} : { keyId: keyHash }),
    month,
    limit: creditsNumber(limit),
    spent: creditsNumber(spent),
    renewsOn: renewalOf(month),
  }
  const mark = { of: 'budget', keyHash, sinceMs, month } as const
  await record(ports, uid, mark, { type: 'budget_reached', data })
}

async function record(
  ports: NoteNeeds,
  uid: string,
  mark: EventMark,
  { data, type }: { readonly type: EventType; readonly data: JsonObject },
): ReturnType<Ports['events']['record']> {
  const event = eventNow(ports, type, data)
  const answer = await ports.events.record({ uid, mark, event })
  if (answer.recorded) {
    ports.log.note('info', 'event-recorded', { uid, eventId: event.eventId, type })
  }
  return answer
}

export function eventNow(
  { clock, ids }: Pick<Ports, 'clock' | 'ids'>,
  type: EventType,
  data: JsonObject,
): ReturnType<typeof newEvent> {
  const nowMs = clock.nowMs()
  return newEvent({ eventId: callIdAt(nowMs, ids.token(EVENT_ID_BYTES)), type, data, nowMs })
}

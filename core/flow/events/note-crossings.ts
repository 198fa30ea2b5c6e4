/**
 * Records an event where a balance has become low or a budget is reached: the mark in the profile and the
 * event in one transaction, after the write that moved the money. Bound by ADR 0052.
 *
 *   release ─▶ profile after it ─▶ crossing? ─▶ mark and event, if the mark is as it was seen ─▶ sender
 *      └─ dies here: the sweep reads each user with calls, finds a low balance without a mark, and records it
 * Two releases at once: one of them sees the balance above before and low after; the mark lets one event
 * through. A grant beside them takes a balance above: the mark is refused while the credits are above the
 * threshold, and taken away by whoever sees the balance above it. A crossing that a grant has undone before
 * it was recorded has no event.
 */

import { callIdAt } from '../../call/call-id.ts'
import { Fault } from '../../errors.ts'
import { type EventType, newEvent } from '../../events/event.ts'
import type { JsonObject } from '../../json/json.ts'
import { creditsNumber } from '../../ledger/amount.ts'
import { balanceOf, type EventMark } from '../../ledger/event-marks.ts'
import type { Budget, MicroCredits, Profile } from '../../ledger/ledger.ts'
import { renewalOf } from '../../ledger/month.ts'
import type { Ports } from '../../ports.ts'
import type { Settings } from '../../settings.ts'

export type NoteNeeds = Pick<Ports, 'clock' | 'events' | 'ids' | 'log'>

/** Undefined: events go nowhere, and nothing is marked. */
export type EventSettings = Settings['events']

/** Random part of an event's id. */
const EVENT_ID_BYTES = 12

/**
 * `spent`: what the write before took from the balance, if it took any. Never throws: what is not recorded here
 * is found by the next call or the sweep.
 */
export async function noteCrossings(
  ports: NoteNeeds,
  settings: EventSettings,
  seen: { readonly profile: Profile; readonly spent?: MicroCredits },
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
  { profile, spent = 0 }: { readonly profile: Profile; readonly spent?: MicroCredits },
): Promise<void> {
  const { lowBalanceTold: told, uid } = profile
  const balance = balanceOf(profile)
  if (balance > threshold) {
    if (told !== undefined) await ports.events.rearm({ uid, told })
    return
  }
  // With a mark of before, this write alone may have taken the balance below.
  if (told !== undefined && balance + spent <= threshold) return
  const data = { uid, balance: creditsNumber(balance), threshold: creditsNumber(threshold) }
  const mark = (seen: string | undefined): EventMark => ({ of: 'balance', seen, threshold })
  const first = await record(ports, uid, mark(told), { type: 'low_balance', data })
  // Somebody saw the balance above the threshold and took a mark of before away.
  if (first.recorded || first.profile === undefined || told === undefined) return
  if (first.profile.lowBalanceTold !== undefined) return
  await record(ports, uid, mark(undefined), { type: 'low_balance', data })
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

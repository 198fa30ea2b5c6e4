/**
 * Events that the gateway sends to an operator's webhook or event bus: what each says, and how long it is
 * tried. Bound by docs/admin-api.md, Events, and ADR 0052.
 */
import type { JsonObject } from '../json/json.ts'
import { DAY_MS } from '../json/utc-time.ts'

export const EVENT_TYPES = ['low_balance', 'budget_reached', 'test'] as const
export type EventType = (typeof EVENT_TYPES)[number]

/** `pending` until it is delivered, or has failed EVENT_TRIES_MAX times. */
export const EVENT_STATES = ['pending', 'failed', 'delivered'] as const
export type EventState = (typeof EVENT_STATES)[number]

/** An event with the state of its delivery. Ids sort by the time of the event. */
export type EventRecord = {
  readonly eventId: string
  readonly type: EventType
  readonly createdAtMs: number
  readonly data: JsonObject
  readonly state: EventState
  /** Deliveries that were begun, since the event was made or sent again. */
  readonly attempts: number
  /** How often an administrator had it sent again; absent for never. */
  readonly resends?: number
  /** A pending event is not sent before. */
  readonly nextAtMs: number
  /** Why the last delivery failed. */
  readonly error?: string
  readonly endedAtMs?: number
}

/** The pauses after each failed delivery, in minutes: six hours in all. */
const PAUSES_MIN = [1, 2, 4, 8, 16, 32, 60, 60, 60, 60, 60] as const
export const EVENT_TRIES_MAX = PAUSES_MIN.length + 1

/** How long an event is listed after its end. */
export const DELIVERED_KEPT_MS = 7 * DAY_MS
export const FAILED_KEPT_MS = 90 * DAY_MS

/** Characters of `error`: one sentence of ours, never the receiver's answer. */
export const EVENT_ERROR_CHARS_MAX = 200

export const EVENTS_PAGE_MAX = 100
export const EVENTS_PAGE_DEFAULT = 20

/**
 * When the next delivery may begin if this one does not end. Undefined for the last one: its failure is the
 * end.
 */
export function pauseAfterMs(attempts: number): number | undefined {
  const minutes = PAUSES_MIN[attempts - 1]
  return minutes === undefined ? undefined : minutes * 60_000
}

export function newEvent(of: {
  readonly eventId: string
  readonly type: EventType
  readonly data: JsonObject
  readonly nowMs: number
}): EventRecord {
  const { data, eventId, nowMs, type } = of
  return {
    eventId,
    type,
    createdAtMs: nowMs,
    data,
    state: 'pending',
    attempts: 0,
    nextAtMs: nowMs,
  }
}

/** The event that follows one that has ended, with all its tries. */
export function eventAgain(ended: EventRecord, nowMs: number): EventRecord {
  const { endedAtMs: _end, resends = 0, ...rest } = ended
  return { ...rest, state: 'pending', attempts: 0, nextAtMs: nowMs, resends: resends + 1 }
}

/** When a record that has ended may be removed. */
export function eventExpiresAtMs({ endedAtMs, state }: EventRecord): number {
  if (endedAtMs === undefined) return Number.POSITIVE_INFINITY
  return endedAtMs + (state === 'failed' ? FAILED_KEPT_MS : DELIVERED_KEPT_MS)
}

/** The same bytes at each delivery. */
export function eventBody({ createdAtMs, data, eventId, type }: EventRecord): string {
  const createdAt = new Date(createdAtMs).toISOString()
  return JSON.stringify({ id: eventId, type, createdAt, data })
}

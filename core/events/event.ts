/**
 * Events that the gateway sends to an operator's targets: what each says, and how often its
 * delivery is tried. Bound by docs/admin-api.md, Events, ADR 0052 and ADR 0143.
 */
import type { JsonObject } from '../json/json.ts'
import { DAY_MS } from '../json/utc-time.ts'
import type { EventType } from '../settings/event-target.ts'

/** An event is `pending` until every target has it or EVENT_TRIES_MAX deliveries have failed. */
export const EVENT_STATES = ['pending', 'failed', 'delivered'] as const
export type EventState = (typeof EVENT_STATES)[number]

/** An event and the state of its delivery. Ids sort by the time of the event. */
export type EventRecord = {
  readonly eventId: string
  readonly type: EventType
  readonly createdAtMs: number
  readonly data: JsonObject
  readonly state: EventState
  /** Deliveries that have begun since the event was made or sent again. */
  readonly attempts: number
  /** How often an administrator had the event sent again; absent if never. */
  readonly resends?: number
  /** A pending event is not sent before this time. */
  readonly nextAtMs: number
  /** When each target took the event, by the target's name. Such a target does not get it again. */
  readonly taken: { readonly [target: string]: number }
  /** Why the last delivery failed, by target. */
  readonly errors?: { readonly [target: string]: string }
  readonly endedAtMs?: number
}

/** Minutes between one failed delivery and the next try: six hours in all. */
const PAUSES_MIN = [1, 2, 4, 8, 16, 32, 60, 60, 60, 60, 60] as const
export const EVENT_TRIES_MAX = PAUSES_MIN.length + 1

/** How long a delivered event stays in the list. */
export const DELIVERED_KEPT_MS = 7 * DAY_MS
export const FAILED_KEPT_MS = 90 * DAY_MS

/** Characters of one error: one sentence of the gateway, never the receiver's answer. */
export const EVENT_ERROR_CHARS_MAX = 200

export const EVENTS_PAGE_MAX = 100
export const EVENTS_PAGE_DEFAULT = 20

/**
 * The pause after a delivery that fails, by its number from 1. Undefined after the last one: then
 * the event has failed.
 */
export function toPauseMs(attempts: number): number | undefined {
  const minutes = PAUSES_MIN[attempts - 1]
  return minutes === undefined ? undefined : minutes * 60_000
}

/** A pending event that may be sent at once. */
export function createEvent(of: {
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
    taken: {},
  }
}

/**
 * The pending event that replaces one that has ended. It has all its tries again: an event that
 * failed goes to the targets that have not taken it, a delivered one to all.
 */
export function toResentEvent(ended: EventRecord, nowMs: number): EventRecord {
  const { endedAtMs: _end, resends = 0, ...rest } = ended
  const taken = ended.state === 'failed' ? ended.taken : {}
  return { ...rest, taken, state: 'pending', attempts: 0, nextAtMs: nowMs, resends: resends + 1 }
}

/** The time after which a record may be removed; Infinity while the event is pending. */
export function toEventExpiryMs({ endedAtMs, state }: EventRecord): number {
  if (endedAtMs === undefined) return Number.POSITIVE_INFINITY
  return endedAtMs + (state === 'failed' ? FAILED_KEPT_MS : DELIVERED_KEPT_MS)
}

/** The body of a delivery; each delivery of an event has the same bytes. */
export function writeEventBody({ createdAtMs, data, eventId, type }: EventRecord): string {
  const createdAt = new Date(createdAtMs).toISOString()
  return JSON.stringify({ id: eventId, type, createdAt, data })
}

/**
 * The header that proves to a webhook's receiver that the gateway sent a delivery, and when. Bound
 * by docs/admin-api.md, Events.
 *
 *   Skillgate-Signature: t=1795219200,v1=<hex>[,v1=<hex>]
 *
 * `v1` is HMAC-SHA256 over `<t>.<body>`. During a rotation of the secret, each valid value has one.
 */
export const SIGNATURE_HEADER = 'skillgate-signature'

/** The text to sign: the start of the delivery in seconds since 1970, and the body. */
export function toSignedText(atSec: number, body: string): string {
  return `${atSec}.${body}`
}

/** `macs` are hexadecimal, one for each valid value of the secret. */
export function buildSignatureHeader(atSec: number, macs: readonly string[]): string {
  return [`t=${atSec}`, ...macs.map((mac) => `v1=${mac}`)].join(',')
}

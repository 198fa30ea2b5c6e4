/**
 * Sends due events to the operator's targets, each until every target has it or EVENT_TRIES_MAX
 * deliveries have failed, or no target that lacks it can take it before somebody changes it. A target that took an event does not get it again because another one
 * failed. Runs after the sweep, once a minute. Bound by ADR 0052 and ADR 0143.
 *
 *   list ─▶ claim (counts the try, sets the time of the next) ─▶ send to all that lack it at once
 *      ─▶ all took it: delivered      ─▶ some did not: note who took it, and why the others did not
 *      ─▶ no later try can succeed: failed
 *
 * If the process dies after the claim, the event is sent again at that time. If it dies after the
 * send, the event is sent again with the same id, so receivers must ignore an id they have seen. Of
 * two senders at once, the second one's claim is refused.
 */

import { Fault } from '../../errors.ts'
import {
  EVENT_ERROR_CHARS_MAX,
  EVENT_TRIES_MAX,
  type EventRecord,
  toPauseMs,
} from '../../events/event.ts'
import type { DeliveryError, EventTarget } from '../../ports/ledger.ts'
import type { Ports } from '../../ports/ports.ts'
import { takesEvent } from '../../settings/event-target.ts'

export type DeliverNeeds = Pick<Ports, 'clock' | 'events' | 'log'>

/**
 * Pending events that one run reads, oldest first, including those that wait for their next try.
 */
export const DELIVER_READ_MAX = 1_000
/** Concurrent deliveries. */
export const DELIVER_AT_ONCE = 8
/**
 * No delivery begins after this time of a run; the sweep has other work, and the next run follows
 * within a minute.
 */
export const DELIVER_MS_MAX = 15_000

/** A longer pause that a target asks for is cut, so that its event reaches the others in time. */
export const RETRY_AFTER_MS_MAX = 3_600_000

/** Returns the number of deliveries that were tried. */
export async function deliverEvents(
  ports: DeliverNeeds,
  targets: readonly EventTarget[],
): Promise<number> {
  const nowMs = ports.clock.nowMs()
  const { events } = await ports.events.list({ state: 'pending', limit: DELIVER_READ_MAX })
  const due = events.filter(({ nextAtMs }) => nextAtMs <= nowMs).values()
  let deliveries = 0
  const worker = async () => {
    while (ports.clock.nowMs() < nowMs + DELIVER_MS_MAX) {
      const next = due.next()
      if (next.done === true) return
      deliveries += 1
      await deliverSafely(ports, targets, next.value)
    }
  }
  await Promise.all(Array.from({ length: DELIVER_AT_ONCE }, worker))
  return deliveries
}

/** A store failure at one event must not stop the other deliveries. */
async function deliverSafely(
  ports: DeliverNeeds,
  targets: readonly EventTarget[],
  event: EventRecord,
): Promise<void> {
  try {
    await deliver(ports, targets, event)
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    ports.log.note('warn', 'event-not-tried', { eventId: event.eventId }, cause)
  }
}

async function deliver(
  { clock, events, log }: DeliverNeeds,
  targets: readonly EventTarget[],
  event: EventRecord,
): Promise<void> {
  const attempts = event.attempts + 1
  // After the last try, the pause matters only after a crash: the event is sent once more and ends.
  const pauseMs = toPauseMs(attempts) ?? toPauseMs(EVENT_TRIES_MAX - 1) ?? 0
  const claimed = await events.claim(event, clock.nowMs() + pauseMs)
  if (claimed === undefined) return
  const { eventId, type } = event
  const { errors, isFinal, retryAfterMs, taken } = await sendToAll(clock, targets, claimed)
  const tried = { eventId, type, attempt: attempts }
  const { errors: _before, ...rest } = claimed
  const reached = { ...rest, taken: { ...claimed.taken, ...taken } }
  const endedAtMs = clock.nowMs()
  const reason = Object.entries(errors)
    .map(([name, error]) => `${name}: ${error}`)
    .join('; ')
  if (reason === '') {
    await events.end({ ...reached, state: 'delivered', endedAtMs })
    log.note('info', 'event-delivered', tried)
  } else if (attempts < EVENT_TRIES_MAX && !isFinal) {
    const nextAtMs = Math.max(claimed.nextAtMs, endedAtMs + retryAfterMs)
    await events.noteTry(claimed, { taken, errors, nextAtMs })
    log.note('warn', 'event-delayed', { ...tried, reason })
  } else {
    await events.end({ ...reached, errors, state: 'failed', endedAtMs })
    log.note('error', 'event-failed', { ...tried, reason })
  }
}

type Tried = Required<Pick<EventRecord, 'taken' | 'errors'>> & {
  /** There are errors, and no later try can mend one of them. */
  readonly isFinal: boolean
  /** The longest time for which a target takes nothing; 0 if none said so. */
  readonly retryAfterMs: number
}

/** Sends to the targets that lack the event. */
async function sendToAll(
  clock: DeliverNeeds['clock'],
  targets: readonly EventTarget[],
  event: EventRecord,
): Promise<Tried> {
  const taken: { [target: string]: number } = {}
  const failed: (readonly [target: string, error: Exclude<DeliveryError, string>])[] = []
  const send = async (target: EventTarget) => {
    const sent = await target.deliver(event)
    if (sent.ok) taken[target.name] = clock.nowMs()
    else failed.push([target.name, parseError(sent.error)])
  }
  const lacking = targets.filter(
    (target) => takesEvent(target, event.type) && event.taken[target.name] === undefined,
  )
  await Promise.all(lacking.map(send))
  const pausesMs = failed.map(([, { retryAfterMs = 0 }]) => retryAfterMs)
  return {
    taken,
    errors: Object.fromEntries(
      failed.map(([name, { reason }]) => [name, reason.slice(0, EVENT_ERROR_CHARS_MAX)]),
    ),
    isFinal: failed.length > 0 && failed.every(([, error]) => error.isFinal === true),
    retryAfterMs: Math.min(RETRY_AFTER_MS_MAX, Math.max(0, ...pausesMs)),
  }
}

function parseError(error: DeliveryError) {
  return typeof error === 'string' ? { reason: error } : error
}

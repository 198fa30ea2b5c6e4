/**
 * Sends due events to the operator's targets, each until every target has it or EVENT_TRIES_MAX
 * deliveries have failed. A target that took an event does not get it again because another one
 * failed. Runs after the sweep, once a minute. Bound by ADR 0052 and ADR 0146.
 *
 *   list ─▶ claim (counts the try, sets the time of the next) ─▶ send to all that lack it at once
 *      ─▶ all took it: delivered      ─▶ some did not: note who took it, and why the others did not
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
import type { EventTarget } from '../../ports/ledger.ts'
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
  const { errors, taken } = await sendToAll(clock, targets, claimed)
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
  } else if (attempts < EVENT_TRIES_MAX) {
    await events.noteTry(claimed, { taken, errors })
    log.note('warn', 'event-delayed', { ...tried, reason })
  } else {
    await events.end({ ...reached, errors, state: 'failed', endedAtMs })
    log.note('error', 'event-failed', { ...tried, reason })
  }
}

/** Which targets took the event, and why the others did not. Those that have it are left out. */
async function sendToAll(
  clock: DeliverNeeds['clock'],
  targets: readonly EventTarget[],
  event: EventRecord,
): Promise<Required<Pick<EventRecord, 'taken' | 'errors'>>> {
  const taken: { [target: string]: number } = {}
  const errors: { [target: string]: string } = {}
  const send = async (target: EventTarget) => {
    const sent = await target.deliver(event)
    if (sent.ok) taken[target.name] = clock.nowMs()
    else errors[target.name] = sent.error.slice(0, EVENT_ERROR_CHARS_MAX)
  }
  const lacking = targets.filter(
    (target) => takesEvent(target, event.type) && event.taken[target.name] === undefined,
  )
  await Promise.all(lacking.map(send))
  return { taken, errors }
}

/**
 * How long replies took, from their POST to their event. Noted in batches, with the stream's renewals
 * and at its end: a line for each reply would be as long as all else that is logged of its call.
 */
import { pendingRequest } from '../../session/stream-plan.ts'
import type { Stream, StreamNeeds } from './stream.ts'

/** Of one note: as many values as a metric may have in one line. */
export const DELAYS_MAX = 100

type Needs = Pick<StreamNeeds, 'clock' | 'log'>

/** Just before the event is written: how fast the reader reads is not ours to answer for. */
export function measureDelay(ports: Needs, stream: Stream, seq: number): void {
  const request = pendingRequest(stream.state.session, seq)
  // The tail reports the record first; without it there is nothing to count from.
  if (request === undefined) return
  // Two machines' clocks: the POST's may be ahead of ours.
  stream.delaysMs.push(Math.max(0, ports.clock.nowMs() - request.postedAtMs))
  if (stream.delaysMs.length >= DELAYS_MAX) noteDelays(ports, stream)
}

export function noteDelays(ports: Needs, stream: Stream): void {
  const delaysMs = stream.delaysMs.splice(0)
  if (delaysMs.length === 0) return
  ports.log.note('info', 'replies-delivered', { count: delaysMs.length, delaysMs })
}

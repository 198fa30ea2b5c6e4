/**
 * The time of each reply from its POST to its event. Logged in batches, with the stream's renewals
 * and at its end: a line for each reply would be as long as the line of its call.
 */
import { pendingRequest } from '../../session/stream-plan.ts'
import type { Stream, StreamNeeds } from './stream.ts'

/** Delays in one line: CloudWatch takes 100 values of a metric. */
export const DELAYS_MAX = 100

type Needs = Pick<StreamNeeds, 'clock' | 'log'>

/** Call it just before the event is written: the speed of the client is no delay of ours. */
export function measureDelay(ports: Needs, stream: Stream, seq: number): void {
  const request = pendingRequest(stream.state.session, seq)
  // The tail reports the request before its reply; without it the time of the POST is unknown.
  if (request === undefined) return
  // The POST was timed by another machine, whose clock may be ahead.
  stream.delaysMs.push(Math.max(0, ports.clock.nowMs() - request.postedAtMs))
  if (stream.delaysMs.length >= DELAYS_MAX) noteDelays(ports, stream)
}

export function noteDelays(ports: Needs, stream: Stream): void {
  const delaysMs = stream.delaysMs.splice(0)
  if (delaysMs.length === 0) return
  ports.log.note('info', 'replies-delivered', { count: delaysMs.length, delaysMs })
}

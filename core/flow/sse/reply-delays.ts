/**
 * Measures the time of each reply from its POST to its event. The times are logged in batches, at
 * the stream's renewals and its end, because one line for each reply would double the log of calls.
 */
import { findPendingRequest } from '../../session/stream-plan.ts'
import type { Stream, StreamNeeds } from './stream.ts'

/** Delays in one log line: CloudWatch takes 100 values of a metric. */
export const DELAYS_MAX = 100

type Needs = Pick<StreamNeeds, 'clock' | 'log'>

/** Call it just before the event is written, so that a slow client adds no delay. */
export function measureDelay(ports: Needs, stream: Stream, seq: number): void {
  const request = findPendingRequest(stream.state.session, seq)
  // The tail reports a request before its reply. Without the request, the time of the POST is
  // unknown.
  if (request === undefined) return
  // Another machine timed the POST, and its clock may be ahead.
  stream.delaysMs.push(Math.max(0, ports.clock.nowMs() - request.postedAtMs))
  if (stream.delaysMs.length >= DELAYS_MAX) logDelays(ports, stream)
}

/** Logs the delays that are not logged yet. */
export function logDelays(ports: Needs, stream: Stream): void {
  const delaysMs = stream.delaysMs.splice(0)
  if (delaysMs.length === 0) return
  ports.log.note('info', 'replies-delivered', { count: delaysMs.length, delaysMs })
}

/**
 * One open stream whose session exists: first block, replies, heartbeats, pings, leases, answers to
 * overdue requests, and the end. Two loops share one state: `deliverReplies` follows the replies,
 * and `beatLoop` starts the actions that core/session/stream-plan.ts finds due. Bound by
 * docs/service.md, Sessions, Streams and Reply delivery. The stream's own answer may race with a
 * late real one. Both append under the same seq, and the store keeps the first, so exactly one is
 * delivered. The writer of the other one voids the call.
 */
import { createSleeper, type Sleeper } from '../../session/bells.ts'
import type { StreamOutlet } from '../../session/stream-outlet.ts'
import {
  listDueActions,
  pauseMs,
  RETRY_MS,
  type StreamEndReason,
  startStream,
} from '../../session/stream-plan.ts'
import { writeEndpointBlock } from '../../sse/frame.ts'
import { deliverReplies } from './deliver-replies.ts'
import type { OpenedSession } from './open-session.ts'
import { releaseUndelivered } from './release-undelivered.ts'
import { logDelays } from './reply-delays.ts'
import type { Stream, StreamNeeds } from './stream.ts'
import { startAction } from './stream-actions.ts'

/**
 * Runs until the stream ends and returns the reason. The caller ends the response. Throws only
 * bugs.
 */
export async function runStream(
  ports: StreamNeeds,
  opened: OpenedSession,
  outlet: StreamOutlet,
  endpointPath: string,
): Promise<StreamEndReason> {
  const stream: Stream = {
    opened,
    outlet,
    stop: new AbortController(),
    underWay: new Map(),
    state: startStream(opened.session, outlet.deadlineMs),
    why: 'closed',
    delaysMs: [],
    listSeen: undefined,
    isListCheckDue: true,
    bug: undefined,
  }
  const onClosed = () => stream.stop.abort()
  if (outlet.closed.aborted) onClosed()
  outlet.closed.addEventListener('abort', onClosed, { once: true })
  const url = `${endpointPath}?session_id=${opened.sessionId}`
  try {
    await runLoops(ports, stream, writeEndpointBlock({ url, retryMs: RETRY_MS }))
  } finally {
    // This also runs after a bug: POSTs to an ended stream must get 404.
    outlet.closed.removeEventListener('abort', onClosed)
    await closeStream(ports, stream)
  }
  if (stream.bug !== undefined) throw stream.bug
  return stream.why
}

/**
 * Runs both loops; the end of one ends the other. Returns once nothing more is written. The tail
 * may still wait for a store that hangs; `closeStream` waits for the tail and the running actions.
 */
async function runLoops(ports: StreamNeeds, stream: Stream, firstBlock: string): Promise<void> {
  // News ends a sleep of the beat loop, so that due actions start at once.
  const beat = createSleeper()
  // The listener runs in the context of the request that made the change, so it only wakes the beat
  // loop.
  const endListening = ports.changes.listen('tool-lists', () => {
    stream.isListCheckDue = true
    beat.wake()
  })
  const delivery = deliverReplies(ports, stream, { firstBlock, wakeBeat: beat.wake })
    .catch((cause: unknown) => {
      stream.bug ??= cause
    })
    .finally(() => {
      stream.stop.abort()
      stream.underWay.delete('deliver')
    })
  stream.underWay.set('deliver', delivery)
  try {
    await beatLoop(ports, stream, beat.sleep)
  } finally {
    stream.stop.abort()
    endListening()
  }
}

/**
 * Starts due actions without waiting for them, so that heartbeats keep their rhythm while the store
 * hangs.
 */
async function beatLoop(
  ports: StreamNeeds,
  stream: Stream,
  sleep: Sleeper['sleep'],
): Promise<void> {
  const { signal } = stream.stop
  while (!signal.aborted) {
    if (stream.isListCheckDue) startAction(ports, stream, { kind: 'look' })
    stream.isListCheckDue = false
    for (const action of listDueActions(stream.state, ports.clock.nowMs())) {
      startAction(ports, stream, action)
    }
    await sleep(ports.clock, pauseMs(stream.state, ports.clock.nowMs()), signal)
  }
}

/**
 * Ends the session, so that later POSTs get 404. Frees the stream's slot once none of its actions
 * runs.
 */
async function closeStream(ports: StreamNeeds, stream: Stream): Promise<void> {
  const { session, lease } = stream.opened
  logDelays(ports, stream)
  const logUnwritten = (cause: unknown) =>
    ports.log.note('warn', 'stream-end-not-written', {}, cause)
  await ports.sessions.end({ hash: session.hash, nowMs: ports.clock.nowMs() }).catch(logUnwritten)
  await releaseUndelivered(ports, stream)
  for (const seq of stream.state.owedVoids.keys()) startAction(ports, stream, { kind: 'void', seq })
  // An answer to an overdue request starts a void when it ends, so the map may fill again.
  while (stream.underWay.size > 0) await Promise.all(stream.underWay.values())
  await ports.leases.remove(lease).catch(logUnwritten)
}

/**
 * One open stream, once its session exists: first block, replies, heartbeats, pings, leases,
 * answers to overdue requests, the end. Two loops share one state: `deliverReplies` follows the reply
 * stream, `beatLoop` starts the actions that core/session/stream-plan.ts finds due. Bound by
 * docs/service.md, Sessions, Streams and Reply delivery.  The stream's own answer may race with a
 * late real one: both append under the same seq, and the store lets the first stand, so exactly one
 * is delivered. The writer of the other one voids the call.
 */
import { newSleeper, type Sleeper } from '../../session/bells.ts'
import type { StreamOutlet } from '../../session/stream-outlet.ts'
import {
  dueActions,
  pauseMs,
  RETRY_MS,
  type StreamEndReason,
  startStream,
} from '../../session/stream-plan.ts'
import { endpointBlock } from '../../sse/frame.ts'
import { deliverReplies } from './deliver-replies.ts'
import type { OpenedSession } from './open-session.ts'
import { releaseUndelivered } from './release-undelivered.ts'
import { noteDelays } from './reply-delays.ts'
import type { Stream, StreamNeeds } from './stream.ts'
import { startAction } from './stream-actions.ts'

/** Runs until the stream ends, and returns the reason. The caller ends the response. */
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
    isLookDue: true,
    bug: undefined,
  }
  const onClosed = () => stream.stop.abort()
  if (outlet.closed.aborted) onClosed()
  outlet.closed.addEventListener('abort', onClosed, { once: true })
  const url = `${endpointPath}?session_id=${opened.sessionId}`
  try {
    await runLoops(ports, stream, endpointBlock({ url, retryMs: RETRY_MS }))
  } finally {
    // Also after a bug: POSTs to a stream that has ended must get 404.
    outlet.closed.removeEventListener('abort', onClosed)
    await sayGoodbye(ports, stream)
  }
  if (stream.bug !== undefined) throw stream.bug
  return stream.why
}

/**
 * The end of one loop ends the other. Returns once nothing more is written: the tail may still wait for a
 * store that hangs, and is awaited with the actions under way.
 */
async function runLoops(ports: StreamNeeds, stream: Stream, firstBlock: string): Promise<void> {
  // News ends a sleep of the beat, so that the actions due by it start at once.
  const beat = newSleeper()
  // Told in the context of whoever made the change: the beat looks, in that of the stream.
  const endListening = ports.changes.listen('tool-lists', () => {
    stream.isLookDue = true
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
 * Does not wait for the actions that it starts: heartbeats keep their rhythm while the store hangs.
 */
async function beatLoop(
  ports: StreamNeeds,
  stream: Stream,
  sleep: Sleeper['sleep'],
): Promise<void> {
  const { signal } = stream.stop
  while (!signal.aborted) {
    if (stream.isLookDue) startAction(ports, stream, { kind: 'look' })
    stream.isLookDue = false
    for (const action of dueActions(stream.state, ports.clock.nowMs())) {
      startAction(ports, stream, action)
    }
    await sleep(ports.clock, pauseMs(stream.state, ports.clock.nowMs()), signal)
  }
}

/**
 * Ends the session, so that later POSTs get 404, and frees the stream's place, once nothing of it runs
 * any more.
 */
async function sayGoodbye(ports: StreamNeeds, stream: Stream): Promise<void> {
  const { session, lease } = stream.opened
  noteDelays(ports, stream)
  const unwritten = (cause: unknown) => ports.log.note('warn', 'stream-end-not-written', {}, cause)
  await ports.sessions.end({ hash: session.hash, nowMs: ports.clock.nowMs() }).catch(unwritten)
  await releaseUndelivered(ports, stream)
  for (const seq of stream.state.owedVoids.keys()) startAction(ports, stream, { kind: 'void', seq })
  // An answer to an overdue request starts its void when it ends, so one look is not enough.
  while (stream.underWay.size > 0) await Promise.all(stream.underWay.values())
  await ports.leases.remove(lease).catch(unwritten)
}

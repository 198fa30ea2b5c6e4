/**
 * One open stream, once its session exists: first block, replies, heartbeats, pings, leases,
 * answers to overdue requests, the end. Two loops share one state: `deliverLoop` follows the reply
 * stream, `beatLoop` starts the actions that core/session/stream-plan.ts finds due. Bound by
 * docs/service.md, Sessions, Streams and Reply delivery.  The stream's own answer may race with a
 * late real one: both append under the same seq, and the store lets the first stand, so exactly one
 * is delivered. The writer of the other one voids the call.
 */
import { newSleeper, type Sleeper } from '../../session/bells.ts'
import type { SessionNews } from '../../session/session.ts'
import type { StreamOutlet } from '../../session/stream-outlet.ts'
import {
  dueActions,
  pauseMs,
  pendingRequest,
  RETRY_MS,
  type StreamEndReason,
  startStream,
} from '../../session/stream-plan.ts'
import { advanceTo, deliver } from '../../session/watermark.ts'
import { endpointBlock, messageEvent } from '../../sse/frame.ts'
import { overdueReply, oweVoid } from './answer-overdue.ts'
import type { OpenedSession } from './open-session.ts'
import { releaseUndelivered } from './release-undelivered.ts'
import { measureDelay, noteDelays } from './reply-delays.ts'
import { endStream, type Stream, type StreamNeeds } from './stream.ts'
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
    await write(stream, endpointBlock({ url, retryMs: RETRY_MS }))
    await runLoops(ports, stream)
  } finally {
    // Also after a bug: POSTs to a stream that has ended must get 404.
    outlet.closed.removeEventListener('abort', onClosed)
    await sayGoodbye(ports, stream)
  }
  if (stream.bug !== undefined) throw stream.bug
  return stream.why
}

/** The end of one loop ends the other. Returns when both have ended. */
async function runLoops(ports: StreamNeeds, stream: Stream): Promise<void> {
  // News ends a sleep of the beat, so that the actions due by it start at once.
  const beat = newSleeper()
  // Told in the context of whoever made the change: the beat looks, in that of the stream.
  const endListening = ports.changes.listen('tool-lists', () => {
    stream.isLookDue = true
    beat.wake()
  })
  const ends = await Promise.allSettled([
    deliverLoop(ports, stream, beat.wake),
    beatLoop(ports, stream, beat.sleep),
  ])
  endListening()
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}

/** Waits for the client to read, but no longer than the stream lives. */
function write({ outlet, stop }: Stream, block: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = () => {
      stop.signal.removeEventListener('abort', done)
      resolve()
    }
    stop.signal.addEventListener('abort', done)
    outlet.write(block).then(done, reject)
    if (stop.signal.aborted) done()
  })
}

async function deliverLoop(
  ports: StreamNeeds,
  stream: Stream,
  wakeBeat: () => void,
): Promise<void> {
  const { hash } = stream.opened.session
  const { signal } = stream.stop
  try {
    for await (const news of ports.replies.tail(hash, signal)) {
      if (signal.aborted) return
      await takeNews(ports, stream, news)
      if (stream.state.session.endedAtMs !== undefined && stream.state.draining === 'no') {
        return endStream(stream, 'ended-elsewhere')
      }
      wakeBeat()
    }
    if (!signal.aborted) endStream(stream, 'gone')
  } finally {
    stream.stop.abort()
  }
}

async function takeNews(ports: StreamNeeds, stream: Stream, news: SessionNews): Promise<void> {
  switch (news.kind) {
    case 'session': {
      const delivered = advanceTo(stream.state.delivered, news.session.base)
      stream.state = { ...stream.state, session: news.session, delivered }
      return
    }
    case 'reply': {
      const text = openReply(ports, stream, news.seq, news.sealed)
      // Before the write: a request is not overdue because its client reads slowly.
      stream.state = { ...stream.state, delivered: deliver(stream.state.delivered, news.seq) }
      // An empty reply marks a cancelled request: no event is sent for it.
      if (text === '') return
      measureDelay(ports, stream, news.seq)
      return write(stream, messageEvent(text))
    }
    default:
      return news satisfies never
  }
}

function openReply(ports: StreamNeeds, stream: Stream, seq: number, sealed: Uint8Array): string {
  try {
    return ports.seals.open(stream.opened.sessionId, `reply#${seq}`, sealed)
  } catch (cause) {
    ports.log.note('error', 'reply-not-readable', { seq }, cause)
    const request = pendingRequest(stream.state.session, seq)
    if (request === undefined) return ''
    if (request.calls) oweVoid(ports, stream, seq, request)
    return overdueReply(ports, stream, seq, request)
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
  try {
    while (!signal.aborted) {
      if (stream.isLookDue) startAction(ports, stream, { kind: 'look' })
      stream.isLookDue = false
      for (const action of dueActions(stream.state, ports.clock.nowMs())) {
        startAction(ports, stream, action)
      }
      await sleep(ports.clock, pauseMs(stream.state, ports.clock.nowMs()), signal)
    }
  } finally {
    stream.stop.abort()
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

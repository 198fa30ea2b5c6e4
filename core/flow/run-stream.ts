/**
 * The life of one open stream after its session exists: first block, replies, heartbeats, pings,
 * leases, the answer to what nobody answered, and the end. Two loops share one state: `deliver`
 * follows the reply stream, `beat` does what `stream-plan` says is due.
 * Bound by the spec (States, Events) and design section 4 (Stream, Reply stream).
 *
 * Race of the stream's own answer with a late real one: both append under the same seq and the
 * store lets the first stand, so exactly one is delivered; the call was voided before either.
 */
import { errorReply } from '../jsonrpc/write-message.ts'
import type { SessionNews } from '../session/session.ts'
import {
  dueActions,
  pauseMs,
  pendingRequest,
  RETRY_MS,
  type StreamEndReason,
  startStream,
} from '../session/stream-plan.ts'
import { advanceTo, deliver } from '../session/watermark.ts'
import { endpointBlock, messageEvent } from '../sse/frame.ts'
import type { OpenedSession } from './open-session.ts'
import {
  endStream,
  listChangedAtMs,
  performSafely,
  type Stream,
  type StreamNeeds,
  type StreamOutlet,
  unansweredError,
} from './stream-actions.ts'

/** Runs until the stream ends; answers why. The caller ends the response. */
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
    state: startStream(opened.session, outlet.deadlineMs),
    why: 'closed',
    listSeenMs: undefined,
  }
  const onClosed = () => stream.stop.abort()
  if (outlet.closed.aborted) onClosed()
  outlet.closed.addEventListener('abort', onClosed, { once: true })
  const url = `${endpointPath}?session_id=${opened.sessionId}`
  try {
    await outlet.write(endpointBlock({ url, retryMs: RETRY_MS }))
    const loops = [deliverLoop(ports, stream), beatLoop(ports, stream)]
    await Promise.all(loops.map((loop) => loop.finally(() => stream.stop.abort())))
  } finally {
    // Also after a bug: POSTs to a stream that is gone must get 404.
    outlet.closed.removeEventListener('abort', onClosed)
    await sayGoodbye(ports, stream)
  }
  return stream.why
}

async function deliverLoop(ports: StreamNeeds, stream: Stream): Promise<void> {
  const { hash } = stream.opened.session
  for await (const news of ports.replies.tail(hash, stream.stop.signal)) {
    if (stream.stop.signal.aborted) return
    await takeNews(ports, stream, news)
    if (stream.state.session.endedAtMs !== undefined && !stream.state.draining) {
      return endStream(stream, 'ended-elsewhere')
    }
  }
  if (!stream.stop.signal.aborted) endStream(stream, 'gone')
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
      // An empty reply is the tombstone of a cancelled request: nothing must follow for it.
      if (text !== '') await stream.outlet.write(messageEvent(text))
      stream.state = { ...stream.state, delivered: deliver(stream.state.delivered, news.seq) }
      return
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
    return request === undefined ? '' : errorReply(request.id, unansweredError(request))
  }
}

async function beatLoop(ports: StreamNeeds, stream: Stream): Promise<void> {
  stream.listSeenMs = await listChangedAtMs(ports, stream)
  while (!stream.stop.signal.aborted) {
    for (const action of dueActions(stream.state, ports.clock.nowMs())) {
      if (stream.stop.signal.aborted) return
      await performSafely(ports, stream, action)
    }
    await ports.clock.sleep(pauseMs(stream.state, ports.clock.nowMs()), stream.stop.signal)
  }
}

/** Later POSTs get 404, never silence; the place is free for the next stream. */
async function sayGoodbye(ports: StreamNeeds, stream: Stream): Promise<void> {
  const { session, lease } = stream.opened
  try {
    await ports.sessions.end({ hash: session.hash, nowMs: ports.clock.nowMs() })
    await ports.leases.remove(lease)
  } catch (cause) {
    ports.log.note('warn', 'stream-end-not-written', {}, cause)
  }
}

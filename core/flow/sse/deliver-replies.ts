/**
 * The writing loop of a stream: writes the first block, then each reply once, as the tail finds it.
 * Bound by docs/service.md, Streams and Reply delivery.
 */
import { mustLeave } from '../../session/lease-end.ts'
import type { SessionNews } from '../../session/session.ts'
import { findPendingRequest } from '../../session/stream-plan.ts'
import { advanceWatermark, markDelivered } from '../../session/watermark.ts'
import { writeMessageEvent } from '../../sse/frame.ts'
import { scheduleVoid, writeOverdueReply } from './answer-overdue.ts'
import { measureDelay } from './reply-delays.ts'
import { endStream, type Stream, type StreamNeeds } from './stream.ts'

/**
 * Runs until the stream ends. If the store hangs, the tail may run longer than the stream, which
 * then writes nothing more.
 */
export async function deliverReplies(
  ports: StreamNeeds,
  stream: Stream,
  { firstBlock, wakeBeat }: { readonly firstBlock: string; readonly wakeBeat: () => void },
): Promise<void> {
  const { hash } = stream.opened.session
  await write(stream, firstBlock)
  for await (const news of ports.replies.tail(hash, stream.stop.signal)) {
    if (stream.stop.signal.aborted) return
    // After a stall, the news may come before the next beat.
    if (mustLeave(stream.state.leasedUntilMs, ports.clock.nowMs()))
      return endStream(stream, 'lease-lapsed')
    await takeNews(ports, stream, news)
    if (stream.state.session.endedAtMs !== undefined && stream.state.draining === 'no') {
      return endStream(stream, 'ended-elsewhere')
    }
    wakeBeat()
  }
  if (!stream.stop.signal.aborted) endStream(stream, 'gone')
}

async function takeNews(ports: StreamNeeds, stream: Stream, news: SessionNews): Promise<void> {
  switch (news.kind) {
    case 'session': {
      const delivered = advanceWatermark(stream.state.delivered, news.session.base)
      stream.state = { ...stream.state, session: news.session, delivered }
      return
    }
    case 'reply': {
      const text = openReply(ports, stream, news.seq, news.sealed)
      // Marked before the write: a slow client does not make a request overdue.
      stream.state = { ...stream.state, delivered: markDelivered(stream.state.delivered, news.seq) }
      // An empty reply marks a cancelled request: no event is sent for it.
      if (text === '') return
      measureDelay(ports, stream, news.seq)
      return write(stream, writeMessageEvent(text))
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
    const request = findPendingRequest(stream.state.session, seq)
    if (request === undefined) return ''
    if (request.calls) scheduleVoid(ports, stream, seq, request)
    return writeOverdueReply(ports, stream, seq, request)
  }
}

/** Waits until the client reads, but not longer than the stream is open. */
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

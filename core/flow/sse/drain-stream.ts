/**
 * Ends a stream before its host does: at a quiet moment, or, shortly before the deadline, by
 * refusing new POSTs. Neither loses an accepted request. Bound by docs/service.md, Streams.
 */
import { waitingCount } from '../../session/stream-plan.ts'
import { endStream, type Stream, type StreamNeeds } from './stream.ts'

/**
 * Makes new POSTs get 404. The state is `under-way` before the write, because the tail may report
 * the end before the write returns and must not take it for an end by another stream.
 */
export async function drainStream(ports: StreamNeeds, stream: Stream): Promise<void> {
  const { hash } = stream.opened.session
  stream.state = { ...stream.state, draining: 'under-way' }
  try {
    await ports.sessions.end({ hash, nowMs: ports.clock.nowMs() })
    stream.state = { ...stream.state, draining: 'done' }
  } catch (cause) {
    stream.state = { ...stream.state, draining: 'no' }
    throw cause
  }
}

/**
 * Ends the stream only if no request came after the tail's last news. While POSTs are accepted, the
 * store compares the sequence number. A drained session is read again, since the tail may lag
 * behind the last POST.
 */
export async function rotateIfQuiet(ports: StreamNeeds, stream: Stream): Promise<void> {
  const { hash, seq } = stream.state.session
  if (stream.state.draining === 'done') {
    const last = await ports.sessions.read(hash)
    if (last !== undefined && last.seq > stream.state.session.seq) return
    if (waitingCount(stream.state) === 0) endStream(stream, 'rotated')
    return
  }
  if (await ports.sessions.end({ hash, nowMs: ports.clock.nowMs(), ifSeq: seq })) {
    endStream(stream, 'rotated')
  }
}

/**
 * The two ways out of a stream before its host ends it: no new POSTs shortly before the deadline,
 * and the end at a quiet moment. Neither loses a request that was accepted. Bound by
 * docs/service.md, Streams.
 */
import { waitingCount } from '../../session/stream-plan.ts'
import { endStream, type Stream, type StreamNeeds } from './stream.ts'

/**
 * New POSTs get 404 from here on. `under-way` is noted before the write: the tail may report the
 * end before the write's own answer is here, and must not take it for somebody else's.
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
 * Ends only if no request came since the last look. While it takes POSTs the store compares the
 * sequence number; once drained it is read again, since the tail may lag behind the last POST.
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

/**
 * The stream's own answer to a request that nobody answered (its function died), and the void that
 * this owes. Bound by docs/service.md, Streams: no request is left hanging, none paid for and lost.
 *
 *   append error#seq ─▶ appended: ours is what the agent gets ─▶ void, again with each beat
 *                  └──▶ taken: the real reply is there and will be delivered ─▶ no void
 * The other order would make calls free that are delivered after all: a reader who stops reading
 * for 16 s keeps the tail from seeing a reply that was stored long before.
 * Dies before the void: the late function finds its append taken and voids as well.
 */
import { callIdOf } from '../../call/call-id.ts'
import { Fault } from '../../errors.ts'
import { RPC_INTERNAL_ERROR } from '../../jsonrpc/message.ts'
import { errorReply } from '../../jsonrpc/write-message.ts'
import { VOID_WINDOW_MS } from '../../ledger/limits.ts'
import type { PendingRequest } from '../../session/session.ts'
import type { Stream, StreamNeeds } from './stream.ts'

export async function answerOverdue(
  ports: StreamNeeds,
  stream: Stream,
  seq: number,
  request: PendingRequest,
): Promise<void> {
  const { session, sessionId } = stream.opened
  const sealed = ports.seals.seal(sessionId, `reply#${seq}`, overdueReply(request))
  const stands = await ports.replies.append({ hash: session.hash, seq, sealed })
  const answered = new Set(stream.state.answered).add(seq)
  stream.state = { ...stream.state, answered }
  ports.log.note('warn', 'request-unanswered', { seq, appended: stands })
  if (stands === 'appended' && request.calls) oweVoid(ports, stream, seq, request)
}

export function overdueReply(request: PendingRequest): string {
  const refund = request.calls ? ' If the call was charged, its credits are given back.' : ''
  return errorReply(request.id, {
    code: RPC_INTERNAL_ERROR,
    message: `Nobody answered this request in time.${refund} Send it again.`,
  })
}

/** From now on the call is voided with each beat until that has worked. */
export function oweVoid(
  ports: StreamNeeds,
  stream: Stream,
  seq: number,
  request: PendingRequest,
): void {
  if (stream.opened.session.uid === undefined) return
  const owes = { sinceMs: ports.clock.nowMs(), acceptedAtMs: request.postedAtMs }
  const owed = new Map(stream.state.owedVoids).set(seq, owes)
  stream.state = { ...stream.state, owedVoids: owed }
}

/** Throws what the execute door throws, so that the next beat tries again, while a void can work. */
export async function tryVoid(ports: StreamNeeds, stream: Stream, seq: number): Promise<void> {
  const { hash, uid } = stream.opened.session
  const owes = stream.state.owedVoids.get(seq)
  if (uid === undefined || owes === undefined) return
  const { acceptedAtMs, sinceMs } = owes
  const callId = callIdOf(ports.digests, hash, { seq, acceptedAtMs })
  try {
    await ports.execute.voidCall({ uid, callId, reason: 'void' })
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    if (ports.clock.nowMs() - sinceMs < VOID_WINDOW_MS) throw cause
    ports.log.note('error', 'void-lost', { uid, callId }, cause)
  }
  const owed = new Map(stream.state.owedVoids)
  owed.delete(seq)
  stream.state = { ...stream.state, owedVoids: owed }
}

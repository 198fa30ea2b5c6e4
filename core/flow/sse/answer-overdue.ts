/**
 * The stream's own answer to a request whose function died without a reply, and the void of its
 * call. So every request gets an answer, and nobody pays for a lost one. Bound by docs/service.md,
 * Streams.
 *
 *   append error#seq ─▶ appended: the agent gets this error ─▶ void, again with each beat
 *                  └──▶ taken: the real reply is there and will be delivered ─▶ no void
 *
 * A void before the append could make a call free whose reply is delivered after all: if the client
 * does not read for 16 s, the tail does not see a reply that was stored long before. If the process
 * dies before the void, a function that is late with its reply finds the append taken, and voids.
 */
import { deriveCallId } from '../../call/call-id.ts'
import { Fault } from '../../errors.ts'
import { RPC_INTERNAL_ERROR } from '../../jsonrpc/message.ts'
import { writeErrorReply } from '../../jsonrpc/write-message.ts'
import { VOID_WINDOW_MS } from '../../ledger/limits.ts'
import type { PendingRequest } from '../../session/session.ts'
import { withCallId } from '../tools/tool-outcome.ts'
import type { Stream, StreamNeeds } from './stream.ts'

/**
 * Appends the stream's own error reply. If that reply is the first one, the void of the call is
 * owed.
 */
export async function answerOverdue(
  ports: StreamNeeds,
  stream: Stream,
  seq: number,
  request: PendingRequest,
): Promise<void> {
  const { session, sessionId } = stream.opened
  const sealed = ports.seals.seal(
    sessionId,
    `reply#${seq}`,
    writeOverdueReply(ports, stream, seq, request),
  )
  const outcome = await ports.replies.append({ hash: session.hash, seq, sealed })
  const answered = new Set(stream.state.answered).add(seq)
  stream.state = { ...stream.state, answered }
  ports.log.note('warn', 'request-unanswered', { seq, appended: outcome })
  if (outcome === 'appended' && request.calls) scheduleVoid(ports, stream, seq, request)
}

/** The JSON-RPC error that the agent gets for an overdue request. */
export function writeOverdueReply(
  { digests }: Pick<StreamNeeds, 'digests'>,
  stream: Stream,
  seq: number,
  { calls, id, postedAtMs: acceptedAtMs }: PendingRequest,
): string {
  const refund = calls ? ' If the call was charged, its credits are given back.' : ''
  const message = `Nobody answered this request in time.${refund} Send it again.`
  const error = { code: RPC_INTERNAL_ERROR, message }
  if (!calls) return writeErrorReply(id, error)
  const { hash } = stream.opened.session
  return writeErrorReply(id, withCallId(deriveCallId(digests, hash, { seq, acceptedAtMs }), error))
}

/** From now on each beat tries to void the call, until a try succeeds. */
export function scheduleVoid(
  ports: StreamNeeds,
  stream: Stream,
  seq: number,
  request: PendingRequest,
): void {
  if (stream.opened.session.uid === undefined) return
  const owedVoid = { sinceMs: ports.clock.nowMs(), acceptedAtMs: request.postedAtMs }
  const owed = new Map(stream.state.owedVoids).set(seq, owedVoid)
  stream.state = { ...stream.state, owedVoids: owed }
}

/**
 * Voids an owed call. Throws the `Fault` of execute, so that the next beat tries again, until the
 * void window is over.
 */
export async function voidOwedCall(ports: StreamNeeds, stream: Stream, seq: number): Promise<void> {
  const { hash, uid } = stream.opened.session
  const owedVoid = stream.state.owedVoids.get(seq)
  if (uid === undefined || owedVoid === undefined) return
  const { acceptedAtMs, sinceMs } = owedVoid
  const callId = deriveCallId(ports.digests, hash, { seq, acceptedAtMs })
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

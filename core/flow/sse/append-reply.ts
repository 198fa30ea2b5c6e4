/**
 * Appends the one reply of a request. Voids a call whose result the agent does not get, because its
 * reply came second or the agent cancelled it. Bound by docs/service.md, Reply delivery.
 */
import { deriveCallId } from '../../call/call-id.ts'
import type { IdText } from '../../jsonrpc/message.ts'
import type { Ports } from '../../ports/ports.ts'
import type { HandedMessage } from '../../session/session.ts'

type Needs = Pick<Ports, 'digests' | 'execute' | 'replies' | 'seals'>

/**
 * Handles notifications/cancelled: an empty reply under the request's number keeps out any other
 * reply, and then the call is voided. A request that was answered before keeps its answer and its
 * price.
 */
export async function cancelRequest(
  ports: Needs,
  handed: HandedMessage,
  requestId: IdText,
): Promise<void> {
  const { session } = handed
  const index = session.pending.findLastIndex((request) => request.id === requestId)
  const request = session.pending[index]
  if (request === undefined) return
  const seq = session.base + 1 + index
  const cancelled = { ...handed, seq, acceptedAtMs: request.postedAtMs }
  const outcome = await appendReply(ports, cancelled, '')
  if (outcome === 'appended' && request.calls)
    await voidRequestedCall(ports, cancelled, 'cancelled')
}

/** Seals and appends a reply. The result tells whether it is the first of its number. */
export async function appendReply(
  ports: Pick<Needs, 'replies' | 'seals'>,
  handed: HandedMessage,
  text: string,
) {
  const { seq, session, sessionId } = handed
  const sealed = ports.seals.seal(sessionId, `reply#${seq}`, text)
  return ports.replies.append({ hash: session.hash, seq, sealed })
}

/** Voids the call of a message, because the agent does not get its result. */
export async function voidRequestedCall(
  ports: Needs,
  handed: HandedMessage,
  reason: 'void' | 'cancelled' = 'void',
): Promise<void> {
  const { session } = handed
  if (session.uid === undefined) return
  const callId = deriveCallId(ports.digests, session.hash, handed)
  await ports.execute.voidCall({ uid: session.uid, callId, reason })
}

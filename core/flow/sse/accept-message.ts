/**
 * POST /v1/mcp/messages in the sse function: checks the message, adds it to the session with one
 * write, passes it to the messages function, and answers 202 before the work is done. The write
 * also stores the client that `initialize` names. Headers of the POST are ignored, because the
 * identity was fixed when the stream opened. Bound by docs/service.md, Sessions and Messages.
 *
 *   accept (one UpdateItem: exists, not ended, alive, not full; seq; pending) ─▶ hand on ─▶ 202
 *
 * If the process dies after the accept, the request stays pending; the stream answers it after 16 s
 * and voids it. If the hand-on fails, this function appends an error reply. If the messages
 * function did get the message, the store keeps only the first of the two replies.
 */
import { err, ok, type Refusal, type Result, refuse } from '../../errors.ts'
import { isJsonObject } from '../../json/json.ts'
import {
  type IdText,
  RPC_INTERNAL_ERROR,
  type RpcError,
  type RpcMessage,
  type RpcRequest,
} from '../../jsonrpc/message.ts'
import { readMessage } from '../../jsonrpc/read-message.ts'
import { writeErrorReply } from '../../jsonrpc/write-message.ts'
import { shortenClient } from '../../ledger/call-facts.ts'
import { CALL_METHOD, CANCELLED_METHOD, INITIALIZE_METHOD } from '../../mcp/methods.ts'
import { toClientText } from '../../mcp/modern-envelope.ts'
import type { Ports } from '../../ports/ports.ts'
import { PENDING_MAX } from '../../session/limits.ts'
import { isSessionId, type Session } from '../../session/session.ts'

type Needs = Pick<
  Ports,
  'clock' | 'digests' | 'ids' | 'log' | 'messages' | 'replies' | 'seals' | 'sessions'
>

/** A refusal in the response of the POST: a problem document or a JSON-RPC error (400). */
export type AcceptRefusal =
  | { readonly kind: 'problem'; readonly refusal: Refusal }
  | { readonly kind: 'rpc'; readonly id: IdText | null; readonly error: RpcError }

/**
 * Accepts one POST. `sessionId` is unchecked, as in the URL. Throws `Fault` if the store does not
 * answer.
 */
export async function acceptMessage(
  ports: Needs,
  post: {
    readonly sessionId: string | undefined
    readonly body: Uint8Array
    /** User-Agent. It names the client in records of calls if `initialize` did not. */
    readonly client?: string | undefined
  },
): Promise<Result<'accepted', AcceptRefusal>> {
  const { sessionId } = post
  if (sessionId === undefined || !isSessionId(sessionId)) {
    return refuseWithProblem(
      'malformed',
      'session_id: must be the 43 characters that the endpoint event announced. Open a stream with GET /v1/mcp/sse.',
    )
  }
  const message = readMessage(post.body)
  if (!message.ok) return err({ kind: 'rpc', id: message.error.id, error: message.error.error })
  const acceptedAtMs = ports.clock.nowMs()
  const session = await ports.sessions.accept({
    hash: ports.digests.sha256(sessionId),
    nowMs: acceptedAtMs,
    writeToken: ports.ids.token(9),
    request: toPendingRequest(message.value, acceptedAtMs),
    client: readClient(message.value),
  })
  if (session === undefined) {
    return refuseWithProblem(
      'not_found',
      'session_id: this session is unknown or has ended. Open a new stream with GET /v1/mcp/sse.',
    )
  }
  if (session === 'full') return refuseFullSession(message.value)
  if (needsWork(message.value)) {
    const { body, client } = post
    await handOn(ports, { sessionId, session, acceptedAtMs, body, client }, message.value)
  }
  return ok('accepted')
}

function refuseWithProblem(
  code: 'malformed' | 'not_found',
  detail: string,
): Result<never, AcceptRefusal> {
  const refusal = refuse(code, detail).error
  return err({ kind: 'problem', refusal })
}

/**
 * The refusal is in the POST's own response: a request without a number has no reply on the stream.
 */
function refuseFullSession(message: RpcMessage): Result<never, AcceptRefusal> {
  const error = {
    code: RPC_INTERNAL_ERROR,
    message: `This session has had ${PENDING_MAX} requests since its oldest unanswered one, the most it may. Wait for that reply, then send it again.`,
  }
  return err({ kind: 'rpc', id: message.kind === 'request' ? message.id : null, error })
}

function toPendingRequest(message: RpcMessage, postedAtMs: number) {
  if (message.kind !== 'request') return undefined
  return { id: message.id, postedAtMs, calls: message.method === CALL_METHOD }
}

/**
 * The client that `initialize` names. In revisions with a handshake no other message names the
 * client.
 */
function readClient(message: RpcMessage): string | undefined {
  if (message.kind !== 'request' || message.method !== INITIALIZE_METHOD) return undefined
  const { params } = message
  return shortenClient(isJsonObject(params) ? toClientText(params['clientInfo']) : undefined)
}

/**
 * False for an answer to our ping, which only needs the write, and for most notifications, which
 * change nothing.
 */
function needsWork(message: RpcMessage): message is Exclude<RpcMessage, { kind: 'response' }> {
  if (message.kind === 'response') return false
  return message.kind === 'request' || message.method === CANCELLED_METHOD
}

async function handOn(
  ports: Needs,
  at: {
    sessionId: string
    session: Session
    acceptedAtMs: number
    body: Uint8Array
    client: string | undefined
  },
  message: Exclude<RpcMessage, { kind: 'response' }>,
): Promise<void> {
  const seq = message.kind === 'request' ? at.session.seq : 0
  try {
    const text = new TextDecoder().decode(at.body)
    const client = at.session.client ?? shortenClient(at.client)
    await ports.messages.handOn({
      sessionId: at.sessionId,
      session: at.session,
      seq,
      acceptedAtMs: at.acceptedAtMs,
      ...(client === undefined ? {} : { client }),
      text,
    })
  } catch (cause) {
    ports.log.note('error', 'hand-on-failed', { seq }, cause)
    if (message.kind === 'request') {
      await appendError(
        ports,
        at,
        message,
        'The gateway could not take this request on. Send it again.',
      )
    }
  }
}

/**
 * Appends an error reply for a request that did not reach the messages function, so no call was
 * made.
 */
async function appendError(
  ports: Needs,
  at: { sessionId: string; session: Session },
  request: RpcRequest,
  text: string,
): Promise<void> {
  const { hash, seq } = at.session
  const reply = writeErrorReply(request.id, { code: RPC_INTERNAL_ERROR, message: text })
  await ports.replies.append({
    hash,
    seq,
    sealed: ports.seals.seal(at.sessionId, `reply#${seq}`, reply),
  })
}

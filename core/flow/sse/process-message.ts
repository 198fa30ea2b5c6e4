/**
 * Handles one message in the messages function: a request gets exactly one reply, a notification
 * none. A failure becomes an error reply. Bound by docs/service.md, Messages, Sessions and Tool
 * calls.
 *
 *   work ─▶ append reply#seq (the store keeps the first)
 *
 * If the process dies before the append, the stream answers after 16 s and voids the call. If the
 * stream's answer came first (`taken`), the agent has an error, so this function voids the call
 * too.
 */
import { type Credential, NO_CREDENTIAL } from '../../access/credential.ts'
import { deriveCallId } from '../../call/call-id.ts'
import { CALL_TIMEOUT_MS } from '../../call/limits.ts'
import { err, ok, type Result } from '../../errors.ts'
import { countBytes } from '../../json/text-bytes.ts'
import { RPC_INTERNAL_ERROR, type RpcError, type RpcRequest } from '../../jsonrpc/message.ts'
import { readMessage } from '../../jsonrpc/read-message.ts'
import { writeErrorReply, writeResultReply, writeResultText } from '../../jsonrpc/write-message.ts'
import type { CallToolIntent, Intent } from '../../mcp/intent.ts'
import { CALL_METHOD } from '../../mcp/methods.ts'
import { SSE_REVISION } from '../../mcp/revisions.ts'
import { makeServerInfo } from '../../mcp/server-info.ts'
import { makeTextResult } from '../../mcp/text-result.ts'
import { readIntent } from '../../mcp/to-work.ts'
import type { Ports } from '../../ports/ports.ts'
import type { CallScope } from '../../ports/sessions.ts'
import { REPLY_BYTES_MAX } from '../../session/limits.ts'
import type { HandedMessage } from '../../session/session.ts'
import { openCallScope } from '../access/call-scope.ts'
import { type ProveNeeds, proveCredential } from '../access/prove-credential.ts'
import { startStoreWait } from '../access/store-wait.ts'
import { type AnswerReadNeeds, answerRead } from '../resources/answer-read.ts'
import { authenticateLister } from '../tools/answer-tools-list.ts'
import { type CallToolNeeds, callTool } from '../tools/call-tool.ts'
import { type DispatchContext, dispatchIntent, logFailedRequest } from '../tools/dispatch-intent.ts'
import { toModelResult } from '../tools/tool-outcome.ts'
import { appendReply, cancelRequest, voidRequestedCall } from './append-reply.ts'

export type ProcessMessageNeeds = CallToolNeeds &
  AnswerReadNeeds &
  ProveNeeds &
  Pick<Ports, 'replies' | 'seals'>

type Context = DispatchContext<ProcessMessageNeeds>

/** The value is the JSON text of a result. */
type Answer = Result<string, RpcError>

/** Never throws because of a message's content. Throws `Fault` if the reply cannot be stored. */
export async function processMessage(context: Context, handed: HandedMessage): Promise<void> {
  const message = readMessage(handed.text)
  if (!message.ok || message.value.kind === 'response') return
  if (message.value.kind === 'notification') {
    const notice = SSE_REVISION.readNotification(message.value, handed.text)
    if (notice.kind === 'cancel') await cancelRequest(context.ports, handed, notice.requestId)
    return
  }
  await answerRequest(context, handed, message.value)
}

async function answerRequest(
  context: Context,
  handed: HandedMessage,
  request: RpcRequest,
): Promise<void> {
  const scope = openCallScope(context.ports)
  const answer = await answerSafely(context, handed, request, scope)
  const storing = storeReply(context, handed, request, answer)
  await scope.close(storing)
  await storing
}

async function storeReply(
  context: Context,
  handed: HandedMessage,
  request: RpcRequest,
  answer: Answer,
): Promise<void> {
  const { ports } = context
  const text = answer.ok
    ? writeResultText(request.id, answer.value)
    : writeErrorReply(request.id, answer.error)
  const bytes = countBytes(text)
  const fits = bytes <= REPLY_BYTES_MAX
  const calls = request.method === CALL_METHOD
  if (!fits && calls) await voidRequestedCall(ports, handed)
  const reply = fits ? text : tooLongReply(context, handed, request, bytes)
  const outcome = await appendReply(ports, handed, reply)
  if (outcome === 'taken' && calls) await voidRequestedCall(ports, handed)
}

async function answerSafely(
  context: Context,
  handed: HandedMessage,
  request: RpcRequest,
  scope: CallScope,
): Promise<Answer> {
  try {
    const intent = readIntent(SSE_REVISION, request, handed.text)
    return intent.ok ? await answerIntent(context, handed, intent.value, scope) : intent
  } catch (cause) {
    return err(logFailedRequest(context.ports.log, request.method, cause))
  }
}

function answerIntent(
  context: Context,
  handed: HandedMessage,
  intent: Intent,
  scope: CallScope,
): Promise<Answer> {
  if (intent.kind === 'call-tool') return answerCall(context, handed, intent, scope)
  const { ports } = context
  const wait = startStoreWait(ports.clock)
  const terms = {
    revision: SSE_REVISION,
    caller: () =>
      authenticateLister(ports, openCredential(ports, handed), wait, (sent) =>
        proveCredential(ports, sent),
      ),
    wait,
  }
  if (intent.kind === 'read') return answerRead(context, intent, terms)
  return dispatchIntent(context, intent, {
    ...terms,
    pushesListChanges: true,
    listBytesMax: REPLY_BYTES_MAX - ENVELOPE_BYTES,
  })
}

async function answerCall(
  { ports, settings, caches }: Context,
  handed: HandedMessage,
  intent: CallToolIntent,
  scope: CallScope,
): Promise<Answer> {
  const { hash, uid } = handed.session
  const outcome = await callTool(ports, settings, {
    name: intent.name,
    arguments: intent.arguments,
    changedNumbers: intent.changedNumbers,
    credential: await proveCredential(ports, openCredential(ports, handed)),
    ownerOf: async () => uid,
    lists: caches.lists,
    callId: deriveCallId(ports.digests, hash, handed),
    deadlineMs: handed.acceptedAtMs + CALL_TIMEOUT_MS,
    scope,
    door: 'sse',
    client: handed.client,
    clientCallId: intent.clientCallId,
    idempotencyKey: intent.idempotencyKey,
  })
  const result = toModelResult(outcome)
  if (!result.ok) return result
  return ok(JSON.stringify(SSE_REVISION.results.callTool(result.value, makeServerInfo(settings))))
}

/**
 * The credential of the stream's caller, as the function that handed the message on has sent it: it
 * proves nothing. Throws if its seal does not open; the request then gets an error.
 */
function openCredential(
  { seals }: Pick<ProcessMessageNeeds, 'seals'>,
  { session, sessionId }: HandedMessage,
): Credential {
  const sealed = session.sealedCredential
  return sealed === undefined
    ? NO_CREDENTIAL
    : JSON.parse(seals.open(sessionId, 'credential', sealed))
}

/** Bytes of a reply without its result, with an id of 256 characters. */
const ENVELOPE_BYTES = 1024

function tooLongReply(
  { ports, settings }: Context,
  handed: HandedMessage,
  request: RpcRequest,
  bytes: number,
): string {
  const text = `The result has ${bytes} bytes; this transport carries ${REPLY_BYTES_MAX}. Ask for less: a smaller limit, fewer fields, one page.`
  if (request.method !== CALL_METHOD) {
    return writeErrorReply(request.id, { code: RPC_INTERNAL_ERROR, message: text })
  }
  const call = { callId: deriveCallId(ports.digests, handed.session.hash, handed) }
  const result = { ...makeTextResult(`${text} The call was refunded.`, true), call }
  return writeResultReply(
    request.id,
    SSE_REVISION.results.callTool(result, makeServerInfo(settings)),
  )
}

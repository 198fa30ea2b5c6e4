/**
 * The messages door's share: works on one handed-on message and appends exactly one reply for a
 * request, none for a notification. Whatever goes wrong becomes a reply, never silence. Bound by
 * docs/service.md, Messages, Sessions and Tool calls.
 *
 *   work ─▶ append reply#seq (the first stands)
 * Dies before the append: the stream answers after 16 s and voids the call. Its append came first:
 * `taken`, the agent was told otherwise, so the call is voided here too.
 */

import { callIdOf } from '../../call/call-id.ts'
import { CALL_TIMEOUT_MS } from '../../call/limits.ts'
import { err, Fault, ok, type Result } from '../../errors.ts'
import type { Json } from '../../json/json.ts'
import { bytesOf } from '../../json/text-bytes.ts'
import { RPC_INTERNAL_ERROR, type RpcError, type RpcRequest } from '../../jsonrpc/message.ts'
import { readMessage } from '../../jsonrpc/read-message.ts'
import { errorReply, resultReply, resultTextReply } from '../../jsonrpc/write-message.ts'
import type { Intent } from '../../mcp/intent.ts'
import { CALL_METHOD } from '../../mcp/methods.ts'
import { readIntent } from '../../mcp/read-intent.ts'
import { SSE_REVISION } from '../../mcp/revisions.ts'
import { serverInfo } from '../../mcp/server-info.ts'
import { textResult } from '../../mcp/text-result.ts'
import type { Ports } from '../../ports.ts'
import type { HandedMessage } from '../../session/handed-message.ts'
import { REPLY_BYTES_MAX } from '../../session/limits.ts'
import type { Settings } from '../../settings.ts'
import { type AnswerListNeeds, answerToolsList, callerOf } from '../tools/answer-tools-list.ts'
import { type CallToolNeeds, callTool } from '../tools/call-tool.ts'
import type { ToolListCache } from '../tools/tool-list-cache.ts'
import { sayable } from '../tools/tool-outcome.ts'
import { append, cancelRequest, voidOf } from './append-reply.ts'

export type ProcessMessageNeeds = CallToolNeeds & AnswerListNeeds & Pick<Ports, 'replies' | 'seals'>

type Work = {
  readonly handed: HandedMessage
  readonly settings: Settings
  readonly cache: ToolListCache
}

/** A result is JSON text. */
type Answer = Result<string, RpcError>

/** Never throws for what a message contains; throws `Fault` when the reply cannot be stored. */
export async function processMessage(
  ports: ProcessMessageNeeds,
  settings: Settings,
  cache: ToolListCache,
  handed: HandedMessage,
): Promise<void> {
  const message = readMessage(handed.text)
  if (!message.ok || message.value.kind === 'response') return
  if (message.value.kind === 'notification') {
    const notification = SSE_REVISION.readNotification(message.value, handed.text)
    if (notification.kind === 'cancel') await cancelRequest(ports, handed, notification.requestId)
    return
  }
  await answerRequest(ports, { handed, settings, cache }, message.value)
}

/** The locked header. Throws where it does not open: that request gets an error, not silence. */
function openAuthorization(ports: ProcessMessageNeeds, handed: HandedMessage): string | undefined {
  const sealed = handed.session.sealedAuthorization
  return sealed === undefined
    ? undefined
    : ports.seals.open(handed.sessionId, 'authorization', sealed)
}

async function answerRequest(
  ports: ProcessMessageNeeds,
  work: Work,
  request: RpcRequest,
): Promise<void> {
  const answer = await dispatchSafely(ports, work, request)
  const text = answer.ok
    ? resultTextReply(request.id, answer.value)
    : errorReply(request.id, answer.error)
  const bytes = bytesOf(text)
  const fits = bytes <= REPLY_BYTES_MAX
  const calls = request.method === CALL_METHOD
  if (!fits && calls) await voidOf(ports, work.handed)
  const stands = await append(ports, work.handed, fits ? text : tooLongReply(work, request, bytes))
  if (stands === 'taken' && calls) await voidOf(ports, work.handed)
}

async function dispatchSafely(
  ports: ProcessMessageNeeds,
  work: Work,
  request: RpcRequest,
): Promise<Answer> {
  try {
    const intent = readIntent(SSE_REVISION, request, work.handed.text)
    return intent.ok ? await dispatch(ports, work, intent.value) : intent
  } catch (cause) {
    const code = cause instanceof Fault ? cause.code : 'internal'
    ports.log.note('error', 'message-failed', { code, method: request.method.slice(0, 64) }, cause)
    return err({
      code: RPC_INTERNAL_ERROR,
      message: 'The gateway failed at this request. Send it again.',
    })
  }
}

async function dispatch(ports: ProcessMessageNeeds, work: Work, intent: Intent): Promise<Answer> {
  const { settings } = work
  const { results } = SSE_REVISION
  const server = serverInfo(settings)
  switch (intent.kind) {
    case 'initialize':
      return okText(results.initialize(server, LIST_CHANGES_ARE_TOLD))
    case 'ping':
      return okText(results.empty(server))
    case 'list-tools':
      return answerToolsList(ports, settings, work.cache, {
        who: await callerOf(ports, openAuthorization(ports, work.handed)),
        cursor: intent.cursor,
        resultOf: (page) => results.listTools(page, server),
        resultBytesMax: REPLY_BYTES_MAX - ENVELOPE_BYTES,
        shape: SSE_REVISION.version,
      })
    case 'call-tool': {
      const { uid } = work.handed.session
      const answer = await callTool(ports, settings, {
        name: intent.name,
        arguments: intent.arguments,
        changedNumbers: intent.changedNumbers,
        authorization: openAuthorization(ports, work.handed),
        ownerOf: async () => uid,
        lists: work.cache,
        callId: callIdOf(ports.digests, work.handed.session.hash, work.handed),
        deadlineMs: work.handed.acceptedAtMs + CALL_TIMEOUT_MS,
      })
      const called = sayable(answer)
      return called.ok ? okText(results.callTool(called.value, server)) : called
    }
    case 'discover':
    case 'listen':
      throw new Fault('internal', `${intent.kind} belongs to no revision of this transport`)
    default:
      return intent satisfies never
  }
}

function okText(result: Json): Answer {
  return ok(JSON.stringify(result))
}

/** The stream carries `notifications/tools/list_changed`. */
const LIST_CHANGES_ARE_TOLD = true

/** Of a reply's bytes: what stands around a result, an id of 256 characters among it. */
const ENVELOPE_BYTES = 1024

function tooLongReply({ settings }: Work, request: RpcRequest, bytes: number): string {
  const text = `The result has ${bytes} bytes; this transport carries ${REPLY_BYTES_MAX}. Ask for less: a smaller limit, fewer fields, one page.`
  if (request.method !== CALL_METHOD) {
    return errorReply(request.id, { code: RPC_INTERNAL_ERROR, message: text })
  }
  const refunded = `${text} The call was refunded.`
  const result = textResult(refunded, true)
  return resultReply(request.id, SSE_REVISION.results.callTool(result, serverInfo(settings)))
}

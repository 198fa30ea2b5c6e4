/**
 * One request of Streamable HTTP, in any revision, and its one answer. The request carries
 * everything: there is no session. Bound by docs/service.md, Streamable HTTP, and ADR 0026.
 */
import { ERRORS } from '../../errors.ts'
import type { RpcError } from '../../jsonrpc/message.ts'
import { errorReply, resultTextReply } from '../../jsonrpc/write-message.ts'
import type { Work } from '../../mcp/classified.ts'
import type { CallToolIntent, Intent, TaskIntent } from '../../mcp/intent.ts'
import { type AnswerListNeeds, callerOf } from '../tools/answer-tools-list.ts'
import { dispatchIntent, failedRequest } from '../tools/dispatch-intent.ts'
import type { HttpReply, PostedRequest } from './http-post.ts'
import type { McpContext } from './mcp-caches.ts'
import { type ServeCallNeeds, serveCall } from './serve-call.ts'
import { type ServeTaskNeeds, serveTask } from './serve-task.ts'

export type ServeRequestNeeds = AnswerListNeeds & ServeCallNeeds & ServeTaskNeeds

/** Never throws for what a request contains, nor for trouble behind it: both are answers. */
export async function serveRequest(
  context: McpContext<ServeRequestNeeds>,
  work: Work,
  posted: PostedRequest,
): Promise<HttpReply> {
  const { intent } = work
  try {
    // A call reads the key itself: two reads would cost its hot path one more.
    if (intent.kind === 'call-tool') return await serveCall(context, { ...work, intent }, posted)
    return intent.kind === 'task'
      ? await serveTask(context, { ...work, intent }, posted)
      : await serveOther(context, { ...work, intent }, posted)
  } catch (cause) {
    return errorOf(work, failedRequest(context.ports.log, work.method, cause))
  }
}

/** As on the SSE transport; a page that does not fit is made smaller. */
const LIST_BYTES_MAX = 1_048_576

async function serveOther(
  context: McpContext<ServeRequestNeeds>,
  work: Work & { readonly intent: Exclude<Intent, CallToolIntent | TaskIntent> },
  posted: PostedRequest,
): Promise<HttpReply> {
  const { id, intent, revision } = work
  const { wait } = posted
  const caller = await callerOf(context.ports, posted.authorization, wait)
  if (caller.kind === 'refused') return caller
  if (intent.kind === 'initialize' || intent.kind === 'discover') {
    const uid = caller.kind === 'principal' ? caller.principal.uid : undefined
    context.ports.log.note('info', 'agent-connected', { uid, version: revision.version })
  }
  const answer = await dispatchIntent(context, intent, {
    revision,
    pushesListChanges: false,
    listBytesMax: LIST_BYTES_MAX,
    caller: () => caller,
    wait,
  })
  if (answer.ok) return { kind: 'reply', status: 200, text: resultTextReply(id, answer.value) }
  const { code, message } = answer.error
  const isDenied = code === ERRORS.user_disabled.rpcCode
  return isDenied ? denied(message) : errorOf(work, answer.error)
}

/** As an unknown key is answered: by the status, since no request of this user is served. */
function denied(detail: string): HttpReply {
  return { kind: 'refused', refusal: { code: 'user_disabled', detail } }
}

/**
 * In band: an error of a handler has no status of its own (docs/protocol.md, Status codes of
 * POST /mcp). That includes the minute's limit: to a 429 the official clients (1.32, 2.4) raise a
 * transport error that has lost code and wait, and none of them reads Retry-After or comes back.
 */
function errorOf(work: Work, error: RpcError): HttpReply {
  const isOurs = error.code <= OURS_FROM && error.code >= OURS_TO
  const code = isOurs && work.revision.era === 'modern' ? error.code + MODERN_SHIFT : error.code
  return { kind: 'reply', status: 200, text: errorReply(work.id, { ...error, code }) }
}

/**
 * Codes that servers chose for themselves. From 2026-07-28 on they lie outside -32768 to -32000
 * (MCP 2026-07-28, basic, Error codes).
 */
const OURS_FROM = -32_000
const OURS_TO = -32_019
/** The same last digits in both eras: -32004 is -31004. */
const MODERN_SHIFT = 1_000

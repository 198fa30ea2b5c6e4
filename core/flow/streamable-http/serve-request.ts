/**
 * One request of Streamable HTTP, any revision: who asks, what for, and the one answer. The request
 * says everything itself: there is no session. What the revision's shapes are is its own affair.
 * Bound by docs/service.md, Streamable HTTP, and ADR 0026.
 */
import { Fault } from '../../errors.ts'
import type { JsonObject } from '../../json/json.ts'
import { RPC_INTERNAL_ERROR, type RpcError } from '../../jsonrpc/message.ts'
import { errorReply, resultReply, resultTextReply } from '../../jsonrpc/write-message.ts'
import type { Work } from '../../mcp/classified.ts'
import { SERVED_VERSIONS } from '../../mcp/revisions.ts'
import { serverInfo } from '../../mcp/server-info.ts'
import type { Settings } from '../../settings.ts'
import { type AnswerListNeeds, answerToolsList, callerOf } from '../tools/answer-tools-list.ts'
import type { HttpReply, PostedRequest } from './http-post.ts'
import type { McpCaches } from './mcp-caches.ts'
import { type ServeCallNeeds, serveCall } from './serve-call.ts'

export type ServeRequestNeeds = AnswerListNeeds & ServeCallNeeds

/** Never throws for what a request contains, nor for trouble behind it: both are answers. */
export async function serveRequest(
  ports: ServeRequestNeeds,
  settings: Settings,
  caches: McpCaches,
  work: Work,
  posted: PostedRequest,
): Promise<HttpReply> {
  try {
    const { intent } = work
    return intent.kind === 'call-tool'
      ? await serveCall(ports, settings, caches, { ...work, intent }, posted)
      : await serve(ports, settings, caches, work, posted)
  } catch (cause) {
    const code = cause instanceof Fault ? cause.code : 'internal'
    ports.log.note('error', 'message-failed', { code, method: work.method.slice(0, 64) }, cause)
    return errorOf(work, FAILED)
  }
}

const FAILED: RpcError = {
  code: RPC_INTERNAL_ERROR,
  message: 'The gateway failed at this request. Send it again.',
}

/** As on the other transport; what does not fit is a smaller page. */
const LIST_BYTES_MAX = 1_048_576

async function serve(
  ports: ServeRequestNeeds,
  settings: Settings,
  caches: McpCaches,
  work: Work,
  posted: PostedRequest,
): Promise<HttpReply> {
  const { intent } = work
  const { results } = work.revision
  const server = serverInfo(settings)
  const who = await callerOf(ports, posted.authorization)
  if (who.kind === 'refused') return who
  switch (intent.kind) {
    case 'initialize':
      return replyOf(work, results.initialize(server, false))
    case 'ping':
      return replyOf(work, results.empty(server))
    case 'discover':
      return replyOf(work, results.discover(server, SERVED_VERSIONS, settings.announceToolChanges))
    case 'list-tools': {
      const listed = await answerToolsList(ports, settings, caches.lists, {
        who,
        cursor: intent.cursor,
        resultOf: (page) => results.listTools(page, server),
        resultBytesMax: LIST_BYTES_MAX,
        shape: work.revision.version,
      })
      if (!listed.ok) return errorOf(work, listed.error)
      return { kind: 'reply', status: 200, text: resultTextReply(work.id, listed.value) }
    }
    case 'call-tool':
    case 'listen':
      throw new Fault(
        'internal',
        `${intent.kind} is served elsewhere: serve-call.ts, run-listen.ts`,
      )
    default:
      return intent satisfies never
  }
}

function replyOf(work: Work, result: JsonObject): HttpReply {
  return { kind: 'reply', status: 200, text: resultReply(work.id, result) }
}

/**
 * Answered in band: what a handler says has no status of its own (docs/protocol.md,
 * Status codes of POST /mcp). Nor has the minute's
 * limit: to a 429 the official clients (1.32, 2.4) raise a transport error that has lost code and
 * wait, and none of them reads Retry-After or comes back.
 */
function errorOf(work: Work, error: RpcError): HttpReply {
  const isOurs = error.code <= OURS_FROM && error.code >= OURS_TO
  const code = isOurs && work.revision.era === 'modern' ? error.code + MODERN_SHIFT : error.code
  return { kind: 'reply', status: 200, text: errorReply(work.id, { ...error, code }) }
}

/**
 * Codes that servers chose for themselves. From 2026-07-28 on they lie outside -32768 to -32000 (MCP 2026-07-28,
 * basic, Error codes).
 */
const OURS_FROM = -32_000
const OURS_TO = -32_019
/** The same last digits in both eras: -32004 is -31004. */
const MODERN_SHIFT = 1_000

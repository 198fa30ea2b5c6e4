/**
 * Calls tools of MCP servers as the upstreams of skills. An answer has the tool's result as JSON
 * with the status 200, a task with 202, or the server's JSON-RPC error under a type of its own.
 * Bound by docs/service.md, MCP servers.
 */
import {
  MCP_ERROR_TYPE,
  type McpCall,
  type UpstreamAnswer,
  type UpstreamRequest,
} from '../../core/call/upstream.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts'
import type { McpFault, McpServer } from '../../core/ports/mcp-servers.ts'
import type { Upstream, UpstreamLimits } from '../../core/ports/outside.ts'
import { type Conversed, converse, type McpClient } from './converse.ts'
import { makeListener } from './listen.ts'
import { isModern, type Peer } from './peer.ts'
import type { RpcOutcome } from './post-rpc.ts'
import { postNotice } from './probe.ts'
import { readServerMessages } from './server-messages.ts'
import type { RpcCall } from './write-message.ts'

/** For requests with `mcp`. */
export function makeMcpUpstream(mcp: McpClient): Upstream {
  return {
    send: (request, limits) => {
      const { mcp: call } = request
      if (call === undefined) throw new Error('mcp: the request calls no tool')
      return sendCall(mcp, request, call, limits)
    },
  }
}

async function sendCall(
  mcp: McpClient,
  request: UpstreamRequest,
  call: McpCall,
  limits: UpstreamLimits,
): Promise<UpstreamAnswer> {
  const server = toServer(request, limits)
  const token = mcp.newId()
  const watch = watchCancel(mcp, server, limits)
  const over = new AbortController()
  const onMessage = readServerMessages(mcp, { server, limits, token, over: over.signal })
  const { upstream, withoutStream } = mcp
  const listener = makeListener({ upstream, server, limits, withoutStream, onMessage })
  const terms = {
    server,
    limits,
    isSafe: call.isIdempotent === true || call.task?.method === 'tasks/get',
    onSend: async (peer: Peer, id: string) => {
      await listener.begin(peer)
      watch.sent(peer, id)
    },
    onMessage,
  }
  try {
    const rpc = { ...toRpcCall(call, token, limits), headers: pickParamHeaders(request) }
    const conversed = await converse(mcp, terms, rpc)
    return conversed.ok ? toAnswer(conversed.value, call) : toFaultAnswer(conversed.error)
  } finally {
    // Nobody waits for answers to the server's own requests any more.
    over.abort('over')
    watch.end()
    listener.end()
  }
}

const PARAM_HEADER = 'mcp-param-'

/** Headers that repeat arguments belong to the call alone, and not to its session. */
function pickParamHeaders({ headers }: UpstreamRequest): UpstreamRequest['headers'] {
  const pairs = Object.entries(headers).filter(([name]) => name.startsWith(PARAM_HEADER))
  return Object.fromEntries(pairs)
}

function toServer({ headers, sensitive, signing, url }: UpstreamRequest, { uid }: UpstreamLimits) {
  const server: McpServer & { readonly hasSecretUrl: boolean } = {
    url,
    headers: Object.fromEntries(
      Object.entries(headers).filter(([name]) => !name.startsWith(PARAM_HEADER)),
    ),
    sensitiveHeaders: sensitive?.headers ?? [],
    hasSecretUrl: sensitive?.query === true,
    uid,
    ...(signing === undefined ? {} : { signing }),
  }
  return server
}

const TASKS = 'io.modelcontextprotocol/tasks'
const KEY_META = 'skillgate/idempotency-key'

function toRpcCall(call: McpCall, token: string, { asker, onProgress }: UpstreamLimits): RpcCall {
  const { capabilities, idempotencyKey, input, task, takesTask, tool } = call
  const extensions = task !== undefined || takesTask === true ? { extensions: { [TASKS]: {} } } : {}
  if (task !== undefined) {
    const { method, taskId } = task
    const params = task.method === 'tasks/update' ? { inputResponses: task.responses } : {}
    return { method, params: { taskId, ...params }, named: 'taskId', capabilities: extensions }
  }
  return {
    method: 'tools/call',
    params: { name: tool, arguments: call.arguments },
    named: 'name',
    ...(input === undefined ? {} : { modernParams: toAnswerParams(input) }),
    capabilities: { ...capabilities, ...extensions },
    legacyCapabilities: asker?.capabilities ?? {},
    meta: {
      ...(onProgress === undefined ? {} : { progressToken: token }),
      ...(idempotencyKey === undefined ? {} : { [KEY_META]: idempotencyKey }),
    },
  }
}

function toAnswerParams({ responses, state }: NonNullable<McpCall['input']>): JsonObject {
  return {
    inputResponses: responses,
    ...(state === undefined ? {} : { requestState: state }),
  }
}

/**
 * A legacy server learns by a notification that nobody waits any more; a modern one by the end of
 * the connection.
 */
function watchCancel(mcp: McpClient, server: McpServer, { signal, uid }: UpstreamLimits) {
  let sent: { readonly peer: Peer; readonly id: string } | undefined
  const cancel = () => {
    if (sent === undefined || isModern(sent.peer)) return
    const limits = { signal: AbortSignal.timeout(CANCEL_MS_MAX), uid, responseBytesMax: 65_536 }
    const params = { requestId: sent.id, reason: 'The caller no longer waits.' }
    const notice = { method: 'notifications/cancelled', params }
    const terms = { upstream: mcp.upstream, server, limits }
    // Nobody waits for it: a server that cannot be told ends the call by itself.
    postNotice(terms, sent.peer, notice).catch(() => undefined)
  }
  signal.addEventListener('abort', cancel)
  return {
    sent: (peer: Peer, id: string) => {
      sent = { peer, id }
    },
    end: () => signal.removeEventListener('abort', cancel),
  }
}

/** For the notification of a cancelled call, which nobody waits for. */
const CANCEL_MS_MAX = 2_000

function toAnswer({ outcome }: Conversed, call: McpCall): UpstreamAnswer {
  switch (outcome.kind) {
    case 'result':
      return toResultAnswer(outcome.result, call)
    case 'error':
      return toErrorAnswer(outcome)
    case 'status':
      return outcome.answer.response.status < 300
        ? { kind: 'unreadable', detail: 'has no JSON-RPC message for the call' }
        : outcome.answer
    case 'lost':
      return outcome.answer
    default:
      return outcome satisfies never
  }
}

function toResultAnswer(result: Json, { task }: McpCall): UpstreamAnswer {
  const isTask = isJsonObject(result) && result['resultType'] === 'task'
  const body = isJsonObject(result) && task !== undefined ? withTaskResult(result) : result
  return toJsonAnswer(isTask && task === undefined ? 202 : 200, JSON_TYPE, body)
}

/** A task that is completed answers with the tool's result beside its state. */
function withTaskResult(result: JsonObject): JsonObject {
  const { error, inputRequests = {}, result: inner, status, statusMessage } = result
  if (typeof status !== 'string') return result
  if (status === 'input_required') return { status, inputRequests }
  if (status === 'completed' && isJsonObject(inner)) return { ...inner, status }
  const message = isJsonObject(error) ? error['message'] : statusMessage
  return { status, ...(message === undefined ? {} : { statusMessage: message }) }
}

/** 401 and 403 stay what they are: the credential was refused. */
function toErrorAnswer({ answer, error }: Extract<RpcOutcome, { kind: 'error' }>): UpstreamAnswer {
  const { status } = answer.response
  if (status === 401 || status === 403 || status === 429 || status >= 500) return answer
  const questions = error.code === URL_NEEDED ? readUrlQuestions(error.data) : undefined
  if (questions !== undefined) return toJsonAnswer(200, JSON_TYPE, questions)
  return toJsonAnswer(200, MCP_ERROR_TYPE, error)
}

/** An error of 2025-11-25: the user must open a page first. */
const URL_NEEDED = -32042

/** Asks as 2026-07-28 asks: the call is sent again when the user has been at the page. */
function readUrlQuestions(data: Json | undefined): JsonObject | undefined {
  const elicitations = isJsonObject(data) ? data['elicitations'] : undefined
  if (!Array.isArray(elicitations) || elicitations.length === 0) return undefined
  const entries = elicitations.map((params: Json, at) => [
    `url-${at + 1}`,
    { method: 'elicitation/create', params },
  ])
  return { resultType: 'input_required', inputRequests: Object.fromEntries(entries) }
}

const JSON_TYPE = 'application/json'

function toJsonAnswer(status: number, mediaType: string, value: unknown): UpstreamAnswer {
  const body = Buffer.from(JSON.stringify(value))
  return { kind: 'answered', response: { status, mediaType, charset: 'utf-8', body } }
}

/** The server was asked how to speak to it, and nothing of the call was sent. */
function toFaultAnswer(fault: McpFault): UpstreamAnswer {
  switch (fault.kind) {
    case 'failed':
      return fault.answer ?? { kind: 'refused_target', detail: `the MCP server ${fault.detail}` }
    case 'unauthorized': {
      const { challenge, status } = fault
      const headers = { 'www-authenticate': challenge }
      const response = { status, mediaType: '', charset: 'utf-8', body: new Uint8Array(), headers }
      return { kind: 'answered', response }
    }
    case 'error':
      return toJsonAnswer(200, MCP_ERROR_TYPE, { code: fault.code, message: fault.detail })
    default:
      return fault satisfies never
  }
}

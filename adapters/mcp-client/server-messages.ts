/**
 * What a server sends while a call runs: progress, which is handed on, and requests, which are
 * answered or refused. Only legacy servers send requests. A question for the user is handed on if
 * the caller can be asked while its call runs; the server waits for the answer within the call's
 * own time.
 */
import { err, ok, type Result } from '../../core/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts'
import type { McpServer } from '../../core/ports/mcp-servers.ts'
import type { UpstreamLimits } from '../../core/ports/outside.ts'
import type { McpClient } from './converse.ts'
import { isModern, type Peer } from './peer.ts'
import { postNotice } from './probe.ts'
import type { ServerMessage } from './read-message.ts'

/** Requests of a server that are answered during one call; more are ignored. */
export const SERVER_REQUESTS_MAX = 16

type Running = {
  readonly server: McpServer
  readonly limits: UpstreamLimits
  readonly token: string
  /** Aborts when the call has its answer. */
  readonly over: AbortSignal
}

type ServerRequest = Extract<ServerMessage, { readonly kind: 'request' }>

/** Returns the reader of one call's messages. */
export function readServerMessages(mcp: McpClient, { limits, over, server, token }: Running) {
  const takeProgress = makeProgressReader(token, limits)
  let requests = 0
  const answer = async (request: ServerRequest, peer: Peer) => {
    const { id } = request
    const answered = await findAnswer(request, limits)
    const reply = answered.ok ? { id, result: answered.value } : { id, error: answered.error }
    const signal = AbortSignal.any([limits.signal, over])
    if (signal.aborted) return
    await postNotice({ upstream: mcp.upstream, server, limits: { ...limits, signal } }, peer, reply)
  }
  return (message: ServerMessage, peer: Peer): void => {
    if (message.kind === 'notification') takeProgress(message)
    if (message.kind !== 'request' || isModern(peer)) return
    requests += 1
    if (requests > SERVER_REQUESTS_MAX) return
    // A server that gets no answer ends the call, or the deadline does.
    answer(message, peer).catch(() => undefined)
  }
}

type RequestError = { readonly code: number; readonly message: string }

/** A question without an answer is an error: a cancelled one could end as a success. */
async function findAnswer(
  { method, params }: ServerRequest,
  { asker }: UpstreamLimits,
): Promise<Result<JsonObject, RequestError>> {
  if (method === 'ping') return ok({})
  const mode = isJsonObject(params) && params['mode'] === 'url' ? 'url' : 'form'
  const isAskable = method === 'elicitation/create' && asks(asker?.capabilities, mode)
  if (!isAskable || asker === undefined) return err({ code: -32601, message: refuse(method) })
  const answered = await asker.ask({ method, params })
  return answered === undefined
    ? err({ code: -32603, message: 'The client gave no answer.' })
    : ok(answered)
}

/** Requests that the specification has for servers. */
const KNOWN_REQUESTS: ReadonlySet<string> = new Set([
  'elicitation/create',
  'roots/list',
  'sampling/createMessage',
])

/** Servers hand these words on, to a model that must know what was missing. */
function refuse(method: string): string {
  const named = KNOWN_REQUESTS.has(method) ? `: this client takes no ${method}.` : ''
  return `Method not found${named}`
}

/** `elicitation: {}` means forms. */
function asks(capabilities: JsonObject | undefined, mode: 'form' | 'url'): boolean {
  const elicitation = capabilities?.['elicitation']
  if (!isJsonObject(elicitation)) return false
  return mode === 'form'
    ? elicitation['url'] === undefined || isJsonObject(elicitation['form'])
    : isJsonObject(elicitation['url'])
}

/** Hands on progress of the call that increases. Its message is whole: it is masked, then cut. */
function makeProgressReader(token: string, { onProgress }: UpstreamLimits) {
  let last = Number.NEGATIVE_INFINITY
  return ({ method, params }: { readonly method: string; readonly params: Json }) => {
    if (method !== 'notifications/progress' || !isJsonObject(params)) return
    const { message, progress, progressToken, total } = params
    if (progressToken !== token || typeof progress !== 'number' || !(progress > last)) return
    last = progress
    onProgress?.({
      progress,
      ...(typeof total === 'number' ? { total } : {}),
      ...(typeof message === 'string' ? { message } : {}),
    })
  }
}

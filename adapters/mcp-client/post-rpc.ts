/**
 * Sends one JSON-RPC request to an MCP server and waits for its answer: a JSON document, or the
 * event of a stream that has the request's id. It sends over the same guarded HTTP exchange as
 * every call of a skill. A request is never sent twice unless nothing of it can have arrived.
 */
import { createParser } from 'eventsource-parser'
import type { UpstreamAnswer, UpstreamRequest } from '../../core/call/upstream.ts'
import type { Json } from '../../core/json/json.ts'
import type { McpServer } from '../../core/ports/mcp-servers.ts'
import type { Upstream, UpstreamLimits } from '../../core/ports/outside.ts'
import { readMessages, type ServerError, type ServerMessage } from './read-message.ts'
import type { RpcMessage } from './write-message.ts'

/** Opening a connection. A server behind it that takes longer answers no call in time. */
export const CONNECT_MS_MAX = 3_000

export type RpcOutcome =
  | { readonly kind: 'result'; readonly result: Json; readonly sessionId?: string }
  /** `answer` has the status and the headers. */
  | { readonly kind: 'error'; readonly error: ServerError; readonly answer: Answered }
  /** An answer without a message for this request. */
  | { readonly kind: 'status'; readonly answer: Answered }
  /** No answer. */
  | { readonly kind: 'lost'; readonly answer: UpstreamAnswer }

export type Answered = UpstreamAnswer & { readonly kind: 'answered' }

export type PostTerms = {
  readonly upstream: Upstream
  readonly server: McpServer & { readonly hasSecretUrl?: boolean }
  readonly limits: UpstreamLimits
  /** Called with each message of a stream that is not the answer. */
  readonly onMessage?: (message: ServerMessage) => void
  /** True for a request that changes nothing, so that a lost answer can be asked for again. */
  readonly isSafe?: boolean
}

const SHOWN_HEADERS = ['mcp-session-id', 'www-authenticate']

/** Never throws for what a server does. */
export async function postRpc(
  terms: PostTerms,
  message: RpcMessage,
  id: string,
): Promise<RpcOutcome> {
  const first = await postOnce(terms, message, id)
  if (!mayRepeat(terms, first)) return first
  return postOnce(terms, message, id)
}

function mayRepeat({ isSafe, limits }: PostTerms, outcome: RpcOutcome): boolean {
  if (outcome.kind !== 'lost' || outcome.answer.kind !== 'unreachable') return false
  if (limits.signal.aborted || outcome.answer.hasPartialAnswer === true) return false
  return isSafe === true || outcome.answer.neverConnected === true
}

async function postOnce(terms: PostTerms, message: RpcMessage, id: string): Promise<RpcOutcome> {
  const { limits, onMessage, server } = terms
  let found: Reply | undefined
  const stream = readEvents((received) => {
    if (isReplyTo(received, id)) found = received
    else onMessage?.(received)
    return found === undefined
  })
  let answer = await send(terms, toRequest(server, 'POST', message), stream.take)
  for (let tries = 0; found === undefined && tries < RESUMES_MAX; tries += 1) {
    const { lastEventId, retryMs } = stream.position()
    if (lastEventId === undefined || !endedEarly(answer)) break
    await sleep(retryMs, limits.signal)
    const headers = { ...message.headers, 'last-event-id': lastEventId }
    answer = await send(terms, toRequest(server, 'GET', { headers }), stream.take)
  }
  if (found === undefined && answer.kind !== 'answered') return { kind: 'lost', answer }
  const head = answer.kind === 'answered' ? answer : WITHOUT_HEAD
  const reply = found ?? findReply(head, id)
  if (reply === undefined) return { kind: 'status', answer: head }
  if (reply.kind === 'error') return { kind: 'error', error: reply.error, answer: head }
  const sessionId = head.response.headers?.['mcp-session-id']
  return { kind: 'result', result: reply.result, ...(sessionId === undefined ? {} : { sessionId }) }
}

type Reply = Extract<ServerMessage, { kind: 'error' | 'result' }>

function isReplyTo(message: ServerMessage, id: string): message is Reply {
  return (message.kind === 'result' || message.kind === 'error') && message.id === id
}

/** A server that ends each stream early cannot hold a call for ever; the deadline ends it, too. */
export const RESUMES_MAX = 10

/** A stream of 2025-11-25 may end before its answer; its position says where it goes on. */
function endedEarly(answer: UpstreamAnswer): boolean {
  if (answer.kind === 'unreachable') return answer.hasPartialAnswer === true
  return answer.kind === 'answered' && answer.response.mediaType === 'text/event-stream'
}

const WITHOUT_HEAD: Answered = {
  kind: 'answered',
  response: { status: 200, mediaType: '', charset: 'utf-8', body: new Uint8Array() },
}

function findReply({ response }: Answered, id: string): Reply | undefined {
  const { body, status } = response
  const replies = readMessages(UTF8.decode(body)).flatMap((message) =>
    message.kind === 'result' || message.kind === 'error' ? [message] : [],
  )
  const reply = replies.find((message) => message.id === id)
  if (reply !== undefined || status < 300) return reply
  // An error about a request that could not be read may have no id.
  return replies.find((message) => message.kind === 'error' && (message.id ?? null) === null)
}

const UTF8 = new TextDecoder('utf-8')

/** Milliseconds before a stream is asked to go on, unless the server says another time. */
const RETRY_MS = 1_000

/** `take` gets the bytes of a stream, and returns false once `onMessage` has. */
export function readEvents(onMessage: (message: ServerMessage) => boolean) {
  const decoder = new TextDecoder('utf-8')
  let lastEventId: string | undefined
  let retryMs = RETRY_MS
  let goesOn = true
  const parser = createParser({
    onId: (id) => {
      lastEventId = id === '' ? undefined : id
    },
    onRetry: (ms) => {
      retryMs = ms
    },
    onEvent: ({ data, event = 'message' }) => {
      if (event !== 'message' || data === '' || !goesOn) return
      goesOn = readMessages(data).every((message) => onMessage(message))
    },
  })
  return {
    take: (part: Uint8Array) => {
      parser.feed(decoder.decode(part, { stream: true }))
      return goesOn
    },
    position: () => ({ lastEventId, retryMs }),
  }
}

async function send(
  { limits, upstream }: Pick<PostTerms, 'limits' | 'upstream'>,
  request: UpstreamRequest,
  onEvents: (part: Uint8Array) => boolean,
): Promise<UpstreamAnswer> {
  const slow = new AbortController()
  const timer = setTimeout(() => slow.abort(), CONNECT_MS_MAX)
  const answer = await upstream.send(request, {
    ...limits,
    showHeaders: SHOWN_HEADERS,
    onEvents,
    onStep: (step) => {
      clearTimeout(timer)
      limits.onStep?.(step)
    },
    signal: AbortSignal.any([limits.signal, slow.signal]),
  })
  clearTimeout(timer)
  const isSlow = answer.kind === 'cut' && !limits.signal.aborted
  return isSlow ? NOT_CONNECTED : answer
}

const NOT_CONNECTED: UpstreamAnswer = {
  kind: 'unreachable',
  detail: 'did not accept the connection in time',
  neverConnected: true,
}

export function toRequest(
  { hasSecretUrl = false, headers, sensitiveHeaders, signing, url }: PostTerms['server'],
  method: 'GET' | 'POST',
  message: Pick<RpcMessage, 'headers'> & Partial<RpcMessage>,
): UpstreamRequest {
  const own = Object.keys(message.headers)
  const others = Object.entries(headers).filter(([name]) => !own.includes(name.toLowerCase()))
  return {
    method,
    url,
    headers: { ...Object.fromEntries(others), ...message.headers },
    body: message.body,
    sensitive: {
      headers: [...sensitiveHeaders, 'mcp-session-id'],
      query: hasSecretUrl,
      body: false,
    },
    keepsMethod: true,
    ...(signing === undefined ? {} : { signing }),
  }
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(end, ms)
  function end() {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
    resolve()
  }
  signal.addEventListener('abort', end)
  if (signal.aborted) end()
  return promise
}

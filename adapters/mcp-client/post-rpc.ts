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
  /** `bytes`: of everything that arrived. */
  | {
      readonly kind: 'result'
      readonly result: Json
      readonly bytes: number
      readonly sessionId?: string
    }
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
  const sendNext = (request: UpstreamRequest) => sendWithin(terms, request, stream)
  let answer = await sendNext(toRequest(server, 'POST', message))
  for (let tries = 0; found === undefined && tries < RESUMES_MAX; tries += 1) {
    const { lastEventId, retryMs } = stream.position()
    if (lastEventId === undefined || !endedEarly(answer)) break
    await sleep(retryMs, limits.signal)
    const headers = { ...message.headers, 'last-event-id': lastEventId }
    answer = toResumed(await sendNext(toRequest(server, 'GET', { headers })), id)
  }
  if (found === undefined && answer.kind !== 'answered') return { kind: 'lost', answer }
  const head = answer.kind === 'answered' ? answer : WITHOUT_HEAD
  const reply = found ?? findReply(head, id)
  if (reply === undefined) return { kind: 'status', answer: head }
  if (reply.kind === 'error') return { kind: 'error', error: reply.error, answer: head }
  const { body, headers } = head.response
  const bytes = stream.bytes() + body.byteLength
  const sessionId = headers?.['mcp-session-id']
  const session = sessionId === undefined ? {} : { sessionId }
  return { kind: 'result', result: reply.result, bytes, ...session }
}

/** All streams of one answer share its limits. */
async function sendWithin(
  terms: PostTerms,
  request: UpstreamRequest,
  stream: EventReader,
): Promise<UpstreamAnswer> {
  const { responseBytesMax: bytesMax } = terms.limits
  const left = Math.max(0, bytesMax - stream.bytes())
  const limits = { ...terms.limits, responseBytesMax: left }
  const answer = await send({ ...terms, limits }, request, stream.take)
  if (stream.hasTooMany()) return { kind: 'unreadable', detail: TOO_MANY_EVENTS }
  return answer.kind === 'too_large' ? { kind: 'too_large', bytesMax } : answer
}

const BROKEN_ANSWER: UpstreamAnswer = {
  kind: 'unreachable',
  detail: 'broke off in the middle of its answer',
  hasPartialAnswer: true,
}

/**
 * The server has begun to answer before, so a refusal to go on says nothing about the request: it
 * may have run, and is neither refused unread nor unsent.
 */
function toResumed(answer: UpstreamAnswer, id: string): UpstreamAnswer {
  switch (answer.kind) {
    case 'answered': {
      const isAnswer = answer.response.status < 300 && findReply(answer, id) !== undefined
      return isAnswer || endedEarly(answer) ? answer : BROKEN_ANSWER
    }
    case 'refused_target':
    case 'unreachable':
      return BROKEN_ANSWER
    default:
      return answer
  }
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
  // A result that comes with the status of a failure is none.
  const reply = replies.find(
    (message) => message.id === id && (message.kind === 'error' || status < 300),
  )
  if (reply !== undefined || status < 300) return reply
  // An error about a request that could not be read may have no id.
  return replies.find((message) => message.kind === 'error' && (message.id ?? null) === null)
}

const UTF8 = new TextDecoder('utf-8')

/** Milliseconds before a stream is asked to go on, unless the server says another time. */
const RETRY_MS = 1_000
/** Longer than any call. Timers cannot hold every number that a server may say. */
const RETRY_MS_MAX = 60_000
/** Positions of a stream that can be sent in a header. */
const EVENT_ID = /^[\x20-\x7e]{1,1024}$/
/**
 * Events of one answer. Each takes some microseconds of a process that serves other calls, too; a
 * server that reports progress sends hundreds.
 */
export const STREAM_EVENTS_MAX = 20_000
const TOO_MANY_EVENTS = `sent over ${STREAM_EVENTS_MAX} events`

type EventReader = ReturnType<typeof readEvents>

/** `take` gets the bytes of a stream, and returns false once `onMessage` has. */
export function readEvents(onMessage: (message: ServerMessage) => boolean) {
  const decoder = new TextDecoder('utf-8')
  let lastEventId: string | undefined
  let retryMs = RETRY_MS
  let goesOn = true
  let bytes = 0
  let events = 0
  const parser = createParser({
    onId: (id) => {
      lastEventId = EVENT_ID.test(id) ? id : undefined
    },
    onRetry: (ms) => {
      retryMs = Math.min(ms, RETRY_MS_MAX)
    },
    onEvent: ({ data, event = 'message' }) => {
      events += 1
      if (events > STREAM_EVENTS_MAX) goesOn = false
      if (event !== 'message' || data === '' || !goesOn) return
      goesOn = readMessages(data).every((message) => onMessage(message))
    },
  })
  return {
    take: (part: Uint8Array) => {
      bytes += part.byteLength
      parser.feed(decoder.decode(part, { stream: true }))
      return goesOn
    },
    bytes: () => bytes,
    hasTooMany: () => events > STREAM_EVENTS_MAX,
    position: () => ({ lastEventId, retryMs }),
  }
}

/** A server answers a message without an answer at once; what it answers is not read. */
const ONE_WAY_MS_MAX = 5_000
const ONE_WAY_BYTES_MAX = 65_536

/** Sends a message that has no answer: a notification, or an answer to the server. */
export async function postOneWay(
  { limits: { signal, uid }, server, upstream }: Omit<PostTerms, 'isSafe' | 'onMessage'>,
  message: RpcMessage,
): Promise<void> {
  const late = AbortSignal.timeout(ONE_WAY_MS_MAX)
  const responseBytesMax = ONE_WAY_BYTES_MAX
  const limits = { signal: AbortSignal.any([signal, late]), uid, responseBytesMax }
  const request = toRequest(server, 'POST', message)
  const answer = await send({ limits, upstream }, request, () => false)
  const isUnsent = answer.kind === 'unreachable' && answer.neverConnected === true
  if (isUnsent && !limits.signal.aborted) await send({ limits, upstream }, request, () => false)
}

function send(
  { limits, upstream }: Pick<PostTerms, 'limits' | 'upstream'>,
  request: UpstreamRequest,
  onEvents: (part: Uint8Array) => boolean,
): Promise<UpstreamAnswer> {
  const terms = { showHeaders: SHOWN_HEADERS, connectMsMax: CONNECT_MS_MAX, onEvents }
  return upstream.send(request, { ...limits, ...terms })
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

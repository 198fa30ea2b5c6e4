/**
 * The twin's one HTTP origin: passes each request to the door that would get it on AWS, as an event
 * of that platform. This file only reads paths; the doors check methods, credentials and bodies.
 * Bound by docs/service.md, Doors and Unknown paths.
 */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type {
  InvocationContext,
  RequestHeaders,
  StreamingHandler,
} from '../../adapters/http/events.ts'
import type { RunningWork } from '../../adapters/http/running.ts'
import {
  type HostAnswer,
  makeProblemAnswer,
  sendAnswer,
} from '../../adapters/http/server-answers.ts'
import {
  type HostedRequest,
  joinRawHeaders,
  makeEventBody,
  makeFunctionUrlEvent,
  PLATFORM_BODY_BYTES_MAX,
  type ReadBody,
  readBody,
  splitTarget,
} from '../../adapters/http/server-events.ts'
import { ServerResponseStream } from '../../adapters/http/server-response-stream.ts'
import { isLoopbackHost, matchesOwnHost } from '../../core/access/origin.ts'
import type { Log } from '../../core/ports/outside.ts'
import { isConsolePath } from '../../lambdas/admin/console.ts'
import { isUserPath } from '../../lambdas/admin/me/user-route.ts'
import { isMetadataPath } from '../../lambdas/admin/sign-in.ts'
import {
  isCardPath,
  isCatalogPath,
  isLoginPath,
  isMcpPath,
  isSecretsPath,
} from '../../lambdas/mcp/paths.ts'
import { serveSample } from '../seed/sample-upstream.ts'
import {
  toConsoleAnswer,
  toHealthAnswer,
  toUnknownPathAnswer,
  toWelcomeAnswer,
  toWrongHostAnswer,
  toWrongOriginAnswer,
} from './host-answers.ts'
import { isOwnHost, isOwnOrigin } from './host-guard.ts'
import { isStreamRequest, serveRequests } from './starting-server.ts'
import { WELCOME_PATH, type Welcome } from './welcome.ts'

type RestAnswer = {
  readonly statusCode: number
  readonly headers: { readonly [name: string]: string }
  readonly body: string
}

export type Doors = {
  readonly sse: StreamingHandler
  readonly mcp: StreamingHandler
  readonly execute: StreamingHandler
  admin(event: unknown, context: InvocationContext): Promise<RestAnswer>
}

/** A request for the first-run sheet has a code and nothing else. */
const SHEET_BODY_BYTES_MAX = 1_024

type HostOptions = {
  readonly listenHost: string
  readonly origin: string
  readonly version: string
  readonly holdLastChunk: boolean
  /** The origin of the login, whose paths the door of mcp then serves; undefined without one. */
  readonly loginOrigin: string | undefined
}

type Host = {
  readonly options: HostOptions
  readonly doors: Doors
  /** Tracks open work, for a clean stop. */
  readonly running: RunningWork
  readonly log: Log
  /** The first-run sheet; undefined in a twin that other machines reach. */
  readonly welcome: Welcome | undefined
}

/** Connects the doors to the server: from now on they get the requests. */
export function connectDoors(server: Server, host: Host): void {
  serveRequests(server, (request, response) => {
    const { path } = splitTarget(request)
    const headers = joinRawHeaders(request)
    const isStream = isStreamRequest(path, request.method, headers)
    const routing = { ...host, isStream, path, headers }
    host.running.track(handle(routing, request, response))
  })
}

async function handle(
  routing: Routing,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    await route(routing, request, response)
  } catch (cause) {
    routing.log.note('error', 'request-failed', {}, cause)
    sendAnswer(response, makeProblemAnswer('internal', 'The twin failed; its log shows why.'))
  }
}

type Routing = Host & {
  readonly isStream: boolean
  readonly path: string
  readonly headers: RequestHeaders
}

function route(
  routing: Routing,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> | void {
  const { options, headers, path } = routing
  const { origin, version, listenHost } = options
  if (!isOwnHost(headers['host'], listenHost) && !isPublicHost(headers['host'], options))
    return sendAnswer(response, toWrongHostAnswer(origin))
  if (path === WELCOME_PATH) return toSheet(routing, request, response)
  if (isMetadataPath(path) || isConsolePath(path)) return toAdmin(routing, request, response)
  const agentDoor = findAgentDoor(routing)
  if (agentDoor !== undefined) return toStreaming(routing, agentDoor, request, response)
  // The doors above check the Origin themselves.
  if (!isOwnOrigin(headers)) return sendAnswer(response, toWrongOriginAnswer())
  if (path === '/') return sendAnswer(response, toRootAnswer(headers, origin, version))
  if (path === '/healthz') return sendAnswer(response, toHealthAnswer(version))
  if (path.startsWith('/sample/')) return serveSample(request, response)
  if (path.startsWith('/v1/admin/') || isUserPath(path)) return toAdmin(routing, request, response)
  sendAnswer(response, toUnknownPathAnswer(path, origin))
}

/** A browser gets the console, and a program what is where. */
function toRootAnswer(headers: RequestHeaders, origin: string, version: string): HostAnswer {
  const isBrowser = headers['accept']?.includes('text/html') === true
  return isBrowser ? toConsoleAnswer() : toWelcomeAnswer(origin, version)
}

/** Returns the door that agents, and people who log in, reach at this path. */
function findAgentDoor({ doors, options, path }: Routing): StreamingHandler | undefined {
  if (path === '/v1/execute') return doors.execute
  const isLogin = options.loginOrigin !== undefined && isLoginPath(path)
  if (isSecretsPath(path) || isCardPath(path)) return doors.mcp
  if (isLogin || isMcpPath(path) || isCatalogPath(path)) return doors.mcp
  return isSsePath(path) ? doors.sse : undefined
}

/** A proxy in front of the twin may pass on the name by which clients know it. */
function isPublicHost(sent: string | undefined, { loginOrigin }: HostOptions): boolean {
  return loginOrigin !== undefined && matchesOwnHost(sent, [new URL(loginOrigin).host])
}

/**
 * Tells whether a path belongs to the sse function's URL, which includes the answers to clients
 * that search for OAuth.
 */
function isSsePath(path: string): boolean {
  return (
    path === '/v1/mcp/sse' ||
    path === '/v1/mcp/messages' ||
    path === '/register' ||
    path.startsWith('/.well-known/')
  )
}

/** The sheet is for this machine: a tunnel in front of the twin passes on another Host. */
async function toSheet(
  { headers, options, welcome }: Routing,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!isOwnOrigin(headers)) return sendAnswer(response, toWrongOriginAnswer())
  if (welcome === undefined || !isLoopbackHost(headers['host'])) {
    return sendAnswer(response, toUnknownPathAnswer(WELCOME_PATH, options.origin))
  }
  const read = await readBody(request, SHEET_BODY_BYTES_MAX)
  if (read.kind === 'aborted') return void response.destroy()
  if (read.kind === 'too_large') return sendAnswer(response, refuseLargeBody(SHEET_BODY_BYTES_MAX))
  sendAnswer(response, welcome.answer(request.method, read.bytes.toString('utf8')))
}

async function toStreaming(
  routing: Routing,
  door: StreamingHandler,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const received = toHostedRequest(routing, await readBody(request), request, response)
  if (received === undefined) return
  const out = new LocalResponseStream(response, { holdLastChunk: routing.options.holdLastChunk })
  routing.running.opened(out, routing.isStream ? 'stream' : 'call')
  await door(makeFunctionUrlEvent(received), out, createEndlessContext(received.requestId))
  // A handler that returns without ending the response fails its invocation on AWS; here the client
  // must not hang.
  if (!out.writableEnded) out.destroy()
}

async function toAdmin(
  routing: Routing,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const received = toHostedRequest(routing, await readBody(request), request, response)
  if (received === undefined) return
  const answer = await routing.doors.admin(
    toRestApiEvent(received),
    createEndlessContext(received.requestId),
  )
  response.writeHead(answer.statusCode, { ...answer.headers })
  response.end(answer.body)
}

/**
 * Returns the request with its body; undefined if the request was answered here, or the client has
 * disconnected.
 */
function toHostedRequest(
  { headers }: Routing,
  read: ReadBody,
  request: IncomingMessage,
  response: ServerResponse,
): HostedRequest | undefined {
  switch (read.kind) {
    case 'body':
      return { request, headers, body: read.bytes, requestId: randomUUID() }
    case 'aborted':
      response.destroy()
      return undefined
    case 'too_large':
      sendAnswer(response, refuseLargeBody(PLATFORM_BODY_BYTES_MAX))
      request.resume()
      return undefined
    default:
      return read satisfies never
  }
}

function refuseLargeBody(bytesMax: number): HostAnswer {
  const detail = `body: is over ${bytesMax} bytes; send a smaller one.`
  // The rest of the body is not read, so the connection cannot be used again.
  return makeProblemAnswer('too_large', detail, { connection: 'close' })
}

/** The answer to clients that still wait when the twin stops. */
const UNANSWERED = makeProblemAnswer(
  'store_unavailable',
  'The twin stopped before it answered. The credits of the call are refunded; send it again, under the same Idempotency-Key if it had one: such a call may have been charged, once.',
  { 'retry-after': '1' },
)

export class LocalResponseStream extends ServerResponseStream {
  constructor(response: ServerResponse, options: { readonly holdLastChunk: boolean }) {
    super(response, { ...options, unanswered: UNANSWERED })
  }
}

const STAGE = 'v1'

/** Builds the event as the platform sends it; the admin door parses it. */
function toRestApiEvent(received: HostedRequest): unknown {
  const { body, headers, request, requestId } = received
  const { path, query } = splitTarget(request)
  const parameters: { [name: string]: string[] } = Object.create(null)
  for (const [name, value] of new URLSearchParams(query)) {
    parameters[name] = [...(parameters[name] ?? []), value]
  }
  return {
    httpMethod: request.method ?? 'GET',
    path: path.startsWith(`/${STAGE}/`) ? path.slice(`/${STAGE}`.length) : path,
    headers,
    multiValueQueryStringParameters: parameters,
    requestContext: {
      requestId,
      stage: STAGE,
      identity: { sourceIp: request.socket.remoteAddress ?? '' },
    },
    ...makeEventBody(body, headers['content-type']),
  }
}

/** The context of an invocation, which the twin never ends by itself. */
export function createEndlessContext(requestId: string): InvocationContext {
  return { awsRequestId: requestId, getRemainingTimeInMillis: () => Number.POSITIVE_INFINITY }
}

/**
 * The twin's one HTTP origin: gives each request to the door that would get it on AWS, as the event
 * of that platform. Knows only paths; the doors judge methods, credentials and bodies. Bound by
 * docs/service.md, Doors and Unknown paths.
 */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type {
  InvocationContext,
  RequestHeaders,
  StreamingHandler,
} from '../../adapters/http/events.ts'
import {
  PLATFORM_BODY_BYTES_MAX,
  type ReadBody,
  readBody,
} from '../../adapters/http/request-body.ts'
import type { RunningWork } from '../../adapters/http/running.ts'
import { type HostAnswer, problemAnswer, sendAnswer } from '../../adapters/http/server-answers.ts'
import {
  functionUrlEvent,
  type HostedRequest,
  headersOf,
  targetOf,
} from '../../adapters/http/server-events.ts'
import type { Log } from '../../core/ports.ts'
import { isCatalogPath, isMcpPath } from '../../lambdas/mcp/paths.ts'
import { serveSample } from '../seed/sample-upstream.ts'
import {
  healthAnswer,
  unknownPathAnswer,
  welcomeAnswer,
  wrongHostAnswer,
  wrongOriginAnswer,
} from './host-answers.ts'
import { isOwnHost, isOwnOrigin } from './host-guard.ts'
import { endlessContext, restApiEvent } from './lambda-events.ts'
import { LocalResponseStream } from './response-stream.ts'
import { opensStream, serveWith } from './starting-server.ts'

export type RestAnswer = {
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

export type HostOptions = {
  readonly listenHost: string
  readonly origin: string
  readonly version: string
  readonly holdLastChunk: boolean
}

export type Host = {
  readonly options: HostOptions
  readonly doors: Doors
  /** Tracks open work, for a clean stop. */
  readonly running: RunningWork
  readonly log: Log
}

/** From now on requests reach the doors. */
export function serve(server: Server, { doors, log, options, running }: Host): void {
  serveWith(server, (request, response) => {
    const { path } = targetOf(request)
    const headers = headersOf(request)
    const isStream = opensStream(path, request.method, headers)
    const routing = { options, doors, log, running, isStream, path, headers }
    running.track(handle(routing, request, response))
  })
}

async function handle(
  at: Routing,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    await route(at, request, response)
  } catch (cause) {
    at.log.note('error', 'request-failed', {}, cause)
    sendAnswer(response, problemAnswer('internal', 'The twin failed; its log shows why.'))
  }
}

type Routing = {
  readonly options: HostOptions
  readonly doors: Doors
  readonly log: Log
  readonly running: RunningWork
  readonly isStream: boolean
  readonly path: string
  readonly headers: RequestHeaders
}

function route(
  at: Routing,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> | void {
  const { options, doors, headers, path } = at
  const { origin, version, listenHost } = options
  if (!isOwnHost(headers['host'], listenHost)) return sendAnswer(response, wrongHostAnswer(origin))
  if (path === '/v1/execute') return toStreaming(at, doors.execute, request, response)
  if (isMcpPath(path) || isCatalogPath(path)) return toStreaming(at, doors.mcp, request, response)
  if (isFrontDoor(path)) return toStreaming(at, doors.sse, request, response)
  // The doors above check it themselves.
  if (!isOwnOrigin(headers)) return sendAnswer(response, wrongOriginAnswer())
  if (path === '/') return sendAnswer(response, welcomeAnswer(origin, version))
  if (path === '/healthz') return sendAnswer(response, healthAnswer(version))
  if (path.startsWith('/sample/')) return serveSample(request, response)
  if (path.startsWith('/v1/admin/')) return toAdmin(at, request, response)
  sendAnswer(response, unknownPathAnswer(path, origin))
}

/** Paths of the sse function's URL, among them the answers to clients that search for OAuth. */
function isFrontDoor(path: string): boolean {
  return (
    path === '/v1/mcp/sse' ||
    path === '/v1/mcp/messages' ||
    path === '/register' ||
    path.startsWith('/.well-known/')
  )
}

async function toStreaming(
  at: Routing,
  door: StreamingHandler,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const received = receivedOf(at, await readBody(request), request, response)
  if (received === undefined) return
  const out = new LocalResponseStream(response, { holdLastChunk: at.options.holdLastChunk })
  at.running.opened(out, at.isStream ? 'stream' : 'call')
  await door(functionUrlEvent(received), out, endlessContext(received.requestId))
  // On AWS a handler that returns without an end fails its invocation; here its client must not
  // hang.
  if (!out.writableEnded) out.destroy()
}

async function toAdmin(
  at: Routing,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const received = receivedOf(at, await readBody(request), request, response)
  if (received === undefined) return
  const answer = await at.doors.admin(restApiEvent(received), endlessContext(received.requestId))
  response.writeHead(answer.statusCode, { ...answer.headers })
  response.end(answer.body)
}

/** The request with its body; undefined when it was answered here, or the client has left. */
function receivedOf(
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
      sendAnswer(response, bodyTooLarge())
      request.resume()
      return undefined
    default:
      return read satisfies never
  }
}

function bodyTooLarge(): HostAnswer {
  const detail = `body: is over ${PLATFORM_BODY_BYTES_MAX} bytes; send a smaller one.`
  // The rest of the body is not read, so the connection cannot be used again.
  return problemAnswer('too_large', detail, { connection: 'close' })
}

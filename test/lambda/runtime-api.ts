// The Runtime API (2018-06-01) that one execution environment talks to, as AWS documents it. Each
// environment has its own, on a port of its own: so a poll identifies its environment. It knows the
// protocol only; lambda-function.ts decides which invocation goes where.

import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type AnswerListener,
  type FunctionFault,
  type InvocationAnswer,
  parseFault,
  readStreamedAnswer,
} from './answer.ts'
import { type LocalServer, readBody, startLocalServer } from './local-server.ts'

export type Invocation = {
  readonly requestId: string
  readonly functionArn: string
  readonly traceId: string
  readonly deadlineMs: number
  readonly eventJson: string
}

/** An invocation as the Runtime API sees it: where its answer goes. */
export type AnswerPlace = {
  readonly requestId: string
  readonly listener: AnswerListener
  readonly settle: (answer: InvocationAnswer) => void
}

export type EnvironmentDesk = {
  /** Resolves when there is work, which may be never. */
  readonly next: () => Promise<Invocation>
  /** Undefined for an unknown invocation, or one that is answered already. */
  readonly claim: (requestId: string) => AnswerPlace | undefined
  readonly initFailed: (fault: FunctionFault) => void
}

/** AWS: "6291556 bytes" for a buffered response. */
const bufferedBytesMax = 6_291_556
const prefix = '/2018-06-01/runtime'
const answerPath = /^\/2018-06-01\/runtime\/invocation\/([^/]+)\/(response|error)$/

export function startRuntimeApi(desk: EnvironmentDesk): Promise<LocalServer> {
  return startLocalServer((request, response) => {
    serve(desk, request, response).catch((cause: unknown) => {
      refuse(response, 500, 'Harness.Fault', String(cause))
    })
  })
}

async function serve(
  desk: EnvironmentDesk,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = request.url ?? ''
  const route = `${request.method} ${path}`
  if (route === `GET ${prefix}/invocation/next`) return giveNext(desk, response)
  if (route === `POST ${prefix}/init/error`) {
    desk.initFailed(await readFault(request))
    return accept(response)
  }
  const [, encodedId, action] = answerPath.exec(path) ?? []
  if (request.method !== 'POST' || encodedId === undefined) {
    return refuse(response, 404, 'InvalidPath', route)
  }
  const place = desk.claim(decodeURIComponent(encodedId))
  if (place === undefined) {
    request.resume()
    return refuse(response, 400, 'InvalidRequestID', `no invocation ${encodedId} is open`)
  }
  return action === 'error'
    ? takeError(place, request, response)
    : takeResponse(place, request, response)
}

async function giveNext(desk: EnvironmentDesk, response: ServerResponse): Promise<void> {
  const invocation = await desk.next()
  response.writeHead(200, {
    'Content-Type': 'application/json',
    'Lambda-Runtime-Aws-Request-Id': invocation.requestId,
    'Lambda-Runtime-Deadline-Ms': String(invocation.deadlineMs),
    'Lambda-Runtime-Invoked-Function-Arn': invocation.functionArn,
    'Lambda-Runtime-Trace-Id': invocation.traceId,
  })
  response.end(invocation.eventJson)
}

async function takeError(
  place: AnswerPlace,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const fault = await readFault(request)
  place.listener.end(fault)
  place.settle({ kind: 'failed', requestId: place.requestId, fault })
  accept(response)
}

async function takeResponse(
  place: AnswerPlace,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { requestId, listener, settle } = place
  if (request.headers['lambda-runtime-function-response-mode'] === 'streaming') {
    request.once('end', () => accept(response))
    return settle(await readStreamedAnswer(request, requestId, listener))
  }
  const payload = await readBody(request, bufferedBytesMax)
  if (payload === undefined) {
    const fault = { errorType: 'Function.ResponseSizeTooLarge', errorMessage: 'over 6291556 bytes' }
    listener.end(fault)
    settle({ kind: 'failed', requestId, fault })
    return refuse(response, 413, 'RequestEntityTooLarge', fault.errorMessage)
  }
  listener.end(undefined)
  settle({ kind: 'buffered', requestId, payload: payload.toString('utf8') })
  accept(response)
}

async function readFault(request: IncomingMessage): Promise<FunctionFault> {
  const body = await readBody(request, bufferedBytesMax)
  const header = request.headers['lambda-runtime-function-error-type']
  return parseFault(body?.toString('utf8') ?? '', typeof header === 'string' ? header : undefined)
}

function accept(response: ServerResponse): void {
  response.writeHead(202, { 'Content-Type': 'application/json' })
  response.end('{"status":"OK"}')
}

function refuse(response: ServerResponse, status: number, type: string, message: string): void {
  if (response.headersSent) return void response.destroy()
  response.writeHead(status, { 'Content-Type': 'application/json' })
  response.end(JSON.stringify({ errorType: type, errorMessage: message }))
}

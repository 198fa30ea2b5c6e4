// An API Gateway REST API on 127.0.0.1 with one Lambda proxy integration: payload 1.0 in, whole
// answers out (nothing streams here), 29 s at most. It authorizes no caller: the admin door does.

import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { type InvocationAnswer, readText } from './answer.ts'
import { outgoingName, sendJson } from './http-answer.ts'
import type { LambdaFunction } from './lambda-function.ts'
import { type LocalServer, readBody, startLocalServer } from './local-server.ts'
import { isRecord, parseJson, preludeOf } from './prelude.ts'
import { restEvent } from './rest-event.ts'

export type RestApiSettings = {
  readonly fn: LambdaFunction
  /** First segment of the URL, not of `path`; `v1` unless told */
  readonly stage?: string
  /** `/{proxy+}` unless told; requests below other paths get 403 */
  readonly resource?: string
  /** AWS's 29 s unless told */
  readonly timeoutMs?: number
}

/** API Gateway takes 10 MB, but Lambda takes an event of 6 MB. */
const bodyBytesMax = 10 * 1024 * 1024
const eventBytesMax = 6_291_456
const timeoutMsDefault = 29_000

/** `url` has no stage: ask for `${url}/v1/…`. */
export function startRestApi(settings: RestApiSettings): Promise<LocalServer> {
  return startLocalServer((request, response) => {
    serve(settings, request, response).catch(() => response.destroy())
  })
}

async function serve(
  settings: RestApiSettings,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { fn, stage = 'v1', resource = '/{proxy+}', timeoutMs = timeoutMsDefault } = settings
  const requestId = randomUUID()
  response.setHeader('x-amzn-RequestId', requestId)
  const body = await readBody(request, bodyBytesMax)
  if (body === undefined) return refuseTooLarge(response)
  const [fullPath = '/', rawQueryString = ''] = (request.url ?? '/').split(/\?(.*)/s)
  const path = fullPath.startsWith(`/${stage}/`) ? fullPath.slice(stage.length + 1) : undefined
  if (path === undefined) return sendJson(response, 403, { message: 'Forbidden' })
  if (!isBelow(resource, path)) {
    return sendJson(response, 403, { message: 'Missing Authentication Token' })
  }
  const event = restEvent({
    requestId,
    method: request.method ?? 'GET',
    rawHeaders: request.rawHeaders,
    path,
    rawQueryString,
    stage,
    resource,
    body,
    sourceIp: request.socket.remoteAddress ?? '127.0.0.1',
    nowMs: Date.now(),
  })
  if (Buffer.byteLength(JSON.stringify(event)) > eventBytesMax) return refuseTooLarge(response)
  const answer = await within(timeoutMs, fn.invoke(event, { requestId }))
  if (answer === undefined)
    return sendJson(response, 504, { message: 'Endpoint request timed out' })
  await send(response, answer)
}

function refuseTooLarge(response: ServerResponse): void {
  sendJson(response, 413, { message: 'Request Too Long' })
}

/** Literal segments must match, up to `{proxy+}` or the end. */
function isBelow(resource: string, path: string): boolean {
  const values = path.split('/')
  const segments = resource.split('/')
  if (!resource.endsWith('+}') && values.length !== segments.length) return false
  return segments.every((segment, i) => segment.startsWith('{') || segment === values[i])
}

async function within(
  ms: number,
  answer: Promise<InvocationAnswer>,
): Promise<InvocationAnswer | undefined> {
  const stopWaiting = new AbortController()
  const { signal } = stopWaiting
  const late = delay(ms, undefined, { signal }).catch(() => undefined)
  const first = await Promise.race([answer, late])
  stopWaiting.abort()
  return first
}

async function send(response: ServerResponse, answer: InvocationAnswer): Promise<void> {
  const internalError = { message: 'Internal server error' }
  if (answer.kind === 'throttled') return sendJson(response, 500, internalError)
  if (answer.kind === 'failed') return sendJson(response, 502, internalError)
  const result = parseJson(await readText(answer))
  if (!isRecord(result) || typeof result['statusCode'] !== 'number') {
    return sendJson(response, 502, internalError)
  }
  const { statusCode, headers } = preludeOf(result)
  response.setHeader('content-type', 'application/json')
  for (const [name, value] of Object.entries({ ...headers, ...multiValueOf(result) })) {
    const outName = outgoingName(name)
    if (outName !== undefined) response.setHeader(outName, value)
  }
  response.writeHead(statusCode)
  response.end(typeof result['body'] === 'string' ? result['body'] : '')
}

function multiValueOf(result: Record<string, unknown>): Record<string, string[]> {
  const { multiValueHeaders } = result
  if (!isRecord(multiValueHeaders)) return {}
  const entries = Object.entries(multiValueHeaders)
  return Object.fromEntries(
    entries.map(([name, values]) => [name, Array.isArray(values) ? values.map(String) : []]),
  )
}

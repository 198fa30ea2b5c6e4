// A function URL on 127.0.0.1: HTTP in, payload 2.0 event to the function, its answer streamed
// back. With AWS_IAM only a right signature of one of `callers` passes, and only then does the
// event say who called; with NONE it never does, whatever the client sends.

import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { TestRole } from './credentials.ts'
import { sendAnswer, sendJson } from './http-answer.ts'
import type { LambdaFunction } from './lambda-function.ts'
import { type LocalServer, readBody, startLocalServer } from './local-server.ts'
import { verifySigV4 } from './sigv4.ts'
import { joinHeaders, type UrlRequest, urlEvent } from './url-event.ts'

export type UrlAuth =
  | { readonly authType: 'NONE' }
  | { readonly authType: 'AWS_IAM'; readonly callers: readonly TestRole[] }

export type FunctionUrlSettings = UrlAuth & {
  readonly fn: LambdaFunction
  /** The alias that this URL belongs to; it shows in context.invokedFunctionArn */
  readonly qualifier?: string
  /** Imitates the platform: a small chunk stays behind until the next write */
  readonly holdLastChunk?: boolean
}

export type FunctionUrl = LocalServer & {
  /** Reasons of refused requests, newest last, for a test that fails with a 403. */
  readonly refusals: readonly string[]
}

/** AWS: "Request must be smaller than 6291456 bytes for the InvokeFunction operation" */
const eventBytesMax = 6_291_456

export async function startFunctionUrl(settings: FunctionUrlSettings): Promise<FunctionUrl> {
  const refusals: string[] = []
  let own = ''
  const server = await startLocalServer((request, response) => {
    if (!isOwnHost(request.headers.host, own)) return refuseHost(response, refusals)
    serve(settings, refusals, request, response).catch((cause: unknown) => {
      refusals.push(`harness fault: ${String(cause)}`)
      response.destroy()
    })
  })
  own = server.host
  return { ...server, refusals }
}

/** AWS finds the function by the host name: under another name there is none. */
function isOwnHost(sent: string | undefined, own: string): boolean {
  return sent === own || sent === own.replace('127.0.0.1', 'localhost')
}

function refuseHost(response: ServerResponse, refusals: string[]): void {
  refusals.push('no function has this host name')
  sendJson(response, 403, { Message: null })
}

async function serve(
  settings: FunctionUrlSettings,
  refusals: string[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const requestId = randomUUID()
  response.setHeader('x-amzn-requestid', requestId)
  const body = await readBody(request, eventBytesMax)
  if (body === undefined) return refuseTooLarge(response)
  const nowMs = Date.now()
  const signed = {
    method: request.method ?? 'GET',
    target: request.url ?? '/',
    headers: joinHeaders(request.rawHeaders),
    body,
  }
  const sourceIp = request.socket.remoteAddress ?? '127.0.0.1'
  const base: UrlRequest = { ...signed, requestId, sourceIp, nowMs }
  if (settings.authType === 'NONE') return invoke(settings, base, response)
  const verdict = verifySigV4(signed, settings.callers, nowMs)
  if (verdict.role !== undefined)
    return invoke(settings, { ...base, caller: verdict.role }, response)
  refusals.push(verdict.refusal)
  response.setHeader('x-amzn-errortype', 'AccessDeniedException')
  sendJson(response, 403, { Message: 'Forbidden' })
}

async function invoke(
  settings: FunctionUrlSettings,
  request: UrlRequest,
  response: ServerResponse,
): Promise<void> {
  const event = urlEvent(request)
  if (Buffer.byteLength(JSON.stringify(event)) > eventBytesMax) return refuseTooLarge(response)
  const { requestId } = request
  const { fn, qualifier, holdLastChunk = false } = settings
  const options = qualifier === undefined ? { requestId } : { requestId, qualifier }
  const answer = await fn.invoke(event, options)
  await sendAnswer(response, answer, { holdLastChunk })
}

function refuseTooLarge(response: ServerResponse): void {
  const message = `Request must be smaller than ${eventBytesMax} bytes for the InvokeFunction operation`
  sendJson(response, 413, { Message: message })
}

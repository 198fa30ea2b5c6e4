// Lambda's Invoke as its API reference says: a signed POST with the name of a function, answered
// when the function has answered. Checks signatures as a function URL with AWS_IAM does.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { InvocationAnswer } from './answer.ts'
import type { TestRole } from './credentials.ts'
import { type LocalServer, readBody, startLocalServer } from './local-server.ts'
import { verifySigV4 } from './sigv4.ts'

export type InvokeApi = LocalServer & {
  readonly refusals: readonly string[]
  /** The path and headers of each request, in their order. */
  readonly asked: readonly { readonly path: string; readonly headers: IncomingMessage['headers'] }[]
}

export type InvokeApiSettings = {
  /** ARN with its alias: the one that `callers` may invoke. */
  readonly functionArn: string
  readonly callers: readonly TestRole[]
  readonly invoke: (event: unknown) => Promise<InvocationAnswer>
}

/** AWS: "6291456 bytes" for a request. */
const eventBytesMax = 6_291_456

export async function startInvokeApi(settings: InvokeApiSettings): Promise<InvokeApi> {
  const refusals: string[] = []
  const asked: { path: string; headers: IncomingMessage['headers'] }[] = []
  const server = await startLocalServer((request, response) => {
    asked.push({ path: request.url ?? '', headers: request.headers })
    serve(settings, refusals, request, response).catch((cause: unknown) => {
      refuse(response, 500, 'ServiceException', String(cause))
    })
  })
  return { ...server, refusals, asked }
}

async function serve(
  { callers, functionArn, invoke }: InvokeApiSettings,
  refusals: string[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readBody(request, eventBytesMax)
  const target = request.url ?? '/'
  if (body === undefined) return refuse(response, 413, 'RequestTooLargeException', 'too large')
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  )
  const signed = { method: request.method ?? '', target, headers, body }
  const verdict = verifySigV4(signed, callers, Date.now())
  if (verdict.role === undefined) {
    refusals.push(verdict.refusal)
    return refuse(response, 403, 'AccessDeniedException', verdict.refusal)
  }
  if (decodeURIComponent(target) !== `/2015-03-31/functions/${functionArn}/invocations`) {
    return refuse(response, 404, 'ResourceNotFoundException', 'no such function')
  }
  sendAnswer(response, await invoke(JSON.parse(body.toString())))
}

function sendAnswer(response: ServerResponse, answer: InvocationAnswer): void {
  if (answer.kind === 'buffered') send(response, 200, answer.payload)
  else if (answer.kind === 'throttled') {
    refuse(response, 429, 'TooManyRequestsException', 'Rate Exceeded.')
  } else if (answer.kind === 'failed') {
    response.setHeader('x-amz-function-error', 'Unhandled')
    send(response, 200, JSON.stringify(answer.fault))
  } else refuse(response, 500, 'ServiceException', 'a stream has no answer to an Invoke')
}

function refuse(response: ServerResponse, status: number, name: string, message: string): void {
  response.setHeader('x-amzn-errortype', name)
  send(response, status, JSON.stringify({ Type: 'User', message }))
}

function send(response: ServerResponse, status: number, json: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(json)
}

/**
 * A server in place of Lambda: it verifies the signature of each Invoke with the SDK's own signer,
 * and answers as a test says.
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { Sha256 } from '@aws-crypto/sha256-js'
import { SignatureV4 } from '@smithy/signature-v4'

export const CREDENTIALS = {
  accessKeyId: 'AKIDSTANDIN',
  secretAccessKey: 'secret-of-the-stand-in',
  sessionToken: 'session-of-the-stand-in',
}

export type Invoked = {
  readonly functionName: string
  readonly qualifier: string | undefined
  readonly type: string | undefined
  readonly headers: IncomingMessage['headers']
  readonly event: string
}

export type StandInAnswer = {
  readonly status?: number
  readonly headers?: { readonly [name: string]: string }
  readonly body?: string | Buffer
}

/** Answers `hang` and `drop` never come: the connection stays open, or ends at once. */
type Handler = (invoked: Invoked) => StandInAnswer | 'hang' | 'drop'

export type LambdaStandIn = {
  readonly endpoint: URL
  /** Requests for functions by their tags, and the answers to them, in turn. */
  readonly tagRequests: object[]
  tagAnswers: StandInAnswer[]
  readonly invoked: Invoked[]
  answer: Handler
  /** Resolves with the next invocation, at once if one has come before. */
  arrival(): Promise<Invoked>
  close(): Promise<void>
}

export function functionError(errorType: string, errorMessage: string): StandInAnswer {
  const body = JSON.stringify({ errorMessage, errorType, trace: ['at secret place'] })
  return { status: 200, headers: { 'x-amz-function-error': 'Unhandled' }, body }
}

export function lambdaError(status: number, name: string, more: object = {}): StandInAnswer {
  const headers = { 'x-amzn-errortype': `${name}:http://internal.amazon.com/coral/` }
  return { status, headers, body: JSON.stringify({ Type: 'User', ...more }) }
}

/** `region`: that of the scope of signatures. */
export async function startLambdaStandIn(region = 'eu-west-1'): Promise<LambdaStandIn> {
  const invoked: Invoked[] = []
  const arrived = Promise.withResolvers<Invoked>()
  const server = createServer((request, response) => void serve(request, response))
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await buffer(request)
    const isTags =
      request.headers['x-amz-target'] === 'ResourceGroupsTaggingAPI_20170126.GetResources'
    const refusal = await verify(request, body, { region, service: isTags ? 'tagging' : 'lambda' })
    if (refusal !== undefined) return reply(response, lambdaError(403, refusal))
    if (isTags) {
      standIn.tagRequests.push(JSON.parse(body.toString()))
      return reply(response, standIn.tagAnswers.shift() ?? { body: '{}' })
    }
    const one = readInvocation(request, body)
    invoked.push(one)
    arrived.resolve(one)
    const answer = standIn.answer(one)
    if (answer === 'drop') request.socket.destroy()
    else if (answer !== 'hang') reply(response, answer)
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const standIn: LambdaStandIn = {
    endpoint: new URL(`http://127.0.0.1:${port}`),
    invoked,
    tagRequests: [],
    tagAnswers: [],
    answer: () => ({ body: '{}' }),
    arrival: () => arrived.promise,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
  return standIn
}

function reply(
  response: ServerResponse,
  { body = '', headers, status = 200 }: StandInAnswer,
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(body)
}

function readInvocation({ headers, url = '' }: IncomingMessage, body: Buffer): Invoked {
  const { pathname, searchParams } = new URL(url, 'http://stand-in')
  const name = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/.exec(pathname)?.[1] ?? ''
  const type = headers['x-amz-invocation-type']
  return {
    functionName: decodeURIComponent(name),
    qualifier: searchParams.get('Qualifier') ?? undefined,
    type: typeof type === 'string' ? type : undefined,
    headers,
    event: body.toString(),
  }
}

async function verify(
  request: IncomingMessage,
  body: Buffer,
  { region, service }: { readonly region: string; readonly service: string },
) {
  const { authorization = '', host = '' } = request.headers
  const { pathname, searchParams } = new URL(request.url ?? '', `http://${host}`)
  const date = String(request.headers['x-amz-date'])
  const names = /SignedHeaders=([^,]+)/.exec(authorization)?.[1]?.split(';') ?? []
  const needed = [
    'host',
    'x-amz-security-token',
    service === 'lambda' ? 'x-amz-invocation-type' : 'x-amz-target',
  ]
  if (needed.some((one) => !names.includes(one))) return 'IncompleteSignatureException'
  const signer = new SignatureV4({
    credentials: CREDENTIALS,
    region,
    service,
    sha256: Sha256,
  })
  const headers = Object.fromEntries(names.map((name) => [name, String(request.headers[name])]))
  const signed = await signer.sign(
    {
      method: request.method ?? '',
      protocol: 'http:',
      hostname: host,
      path: pathname,
      query: Object.fromEntries(searchParams),
      headers,
      body,
    },
    { signingDate: new Date(date.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z')) },
  )
  return signed.headers['authorization'] === authorization ? undefined : 'InvalidSignatureException'
}

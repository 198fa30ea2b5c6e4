// Sends an answer to the HTTP client of a function URL: streamed chunk by chunk, or buffered. The
// function does not notice a client that leaves: its stream is read on and dropped.

import type { ServerResponse } from 'node:http'
import { FunctionError, type InvocationAnswer } from './answer.ts'
import { isRecord, type Prelude, parseJson, preludeOf } from './prelude.ts'

export type StreamOptions = { readonly holdLastChunk: boolean }

/** Reported for function URLs: smaller chunks are held until the next write. */
const heldChunkBytesMax = 100 * 1024
/** The platform renames or replaces these on the way out. */
const remapped = new Set(['www-authenticate', 'server', 'date', 'connection'])
const replaced = new Set(['content-length', 'transfer-encoding'])

export async function sendAnswer(
  response: ServerResponse,
  answer: InvocationAnswer,
  options: StreamOptions,
): Promise<void> {
  switch (answer.kind) {
    case 'streaming':
      return sendStream(response, answer, options)
    case 'buffered':
      return sendBuffered(response, answer.payload)
    case 'failed':
      return sendJson(response, 502, { Message: 'Internal Server Error' })
    case 'throttled':
      response.setHeader('x-amzn-errortype', 'TooManyRequestsException')
      return sendJson(response, 429, {
        Reason: 'ReservedFunctionConcurrentInvocationLimitExceeded',
        Type: 'User',
        message: 'Rate Exceeded.',
      })
    default:
      return answer satisfies never
  }
}

async function sendStream(
  response: ServerResponse,
  answer: InvocationAnswer & { kind: 'streaming' },
  options: StreamOptions,
): Promise<void> {
  const noPrelude = {
    statusCode: 200,
    headers: { 'content-type': answer.contentType },
    cookies: [],
  }
  writeHead(response, answer.prelude ?? noPrelude)
  response.flushHeaders()
  const body = options.holdLastChunk ? heldBack(answer.body) : answer.body
  try {
    for await (const chunk of body) await write(response, chunk)
    response.end()
  } catch (cause) {
    if (!(cause instanceof FunctionError)) throw cause
    response.destroy()
  }
}

async function* heldBack(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer | undefined
  for await (const chunk of body) {
    if (held !== undefined) yield held
    held = chunk.length <= heldChunkBytesMax ? chunk : undefined
    if (held === undefined) yield chunk
  }
  if (held !== undefined) yield held
}

function write(response: ServerResponse, chunk: Buffer): Promise<void> | undefined {
  if (response.closed || response.write(chunk)) return undefined
  return new Promise((resolve) => {
    const goOn = () => {
      response.off('drain', goOn)
      response.off('close', goOn)
      resolve()
    }
    response.once('drain', goOn)
    response.once('close', goOn)
  })
}

function sendBuffered(response: ServerResponse, payload: string): void {
  const result = parseJson(payload)
  if (!isRecord(result) || typeof result['statusCode'] !== 'number') {
    const headers = { 'content-type': 'application/json' }
    writeHead(response, { statusCode: 200, headers, cookies: [] })
    response.end(payload)
    return
  }
  const head = preludeOf(result)
  const hasType = Object.keys(head.headers).some((name) => name.toLowerCase() === 'content-type')
  writeHead(response, hasType ? head : withJsonType(head))
  const encoding = result['isBase64Encoded'] === true ? 'base64' : 'utf8'
  response.end(Buffer.from(bodyText(result['body']), encoding))
}

function withJsonType(head: Prelude): Prelude {
  return { ...head, headers: { ...head.headers, 'content-type': 'application/json' } }
}

function bodyText(body: unknown): string {
  if (body === undefined || body === null) return ''
  return typeof body === 'string' ? body : JSON.stringify(body)
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

function writeHead(response: ServerResponse, head: Prelude): void {
  for (const [name, value] of Object.entries(head.headers)) {
    const outName = outgoingName(name)
    if (outName !== undefined) response.setHeader(outName, value)
  }
  if (head.cookies.length > 0) response.setHeader('set-cookie', [...head.cookies])
  response.writeHead(head.statusCode)
}

/** `WWW-Authenticate` leaves as `x-amzn-Remapped-WWW-Authenticate`; lengths are the platform's. */
export function outgoingName(name: string): string | undefined {
  const lower = name.toLowerCase()
  if (replaced.has(lower)) return undefined
  return remapped.has(lower) ? `x-amzn-Remapped-${name}` : name
}

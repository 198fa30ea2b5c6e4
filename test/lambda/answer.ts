// The outcome of an invocation, and the reader of a streamed POST …/response: the chunks as the
// runtime client wrote them, one by one, and the failure that HTTP trailers carry at the end.

import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import {
  createPreludeSplitter,
  isRecord,
  type Prelude,
  parseJson,
  preludeContentType,
} from './prelude.ts'

export type FunctionFault = { readonly errorType: string; readonly errorMessage: string }

export type InvocationAnswer =
  | { readonly kind: 'buffered'; readonly requestId: string; readonly payload: string }
  | {
      readonly kind: 'streaming'
      readonly requestId: string
      readonly contentType: string
      /** undefined: the handler did not use HttpResponseStream.from */
      readonly prelude: Prelude | undefined
      /** Must be read to its end; throws FunctionError where the function failed on the way. */
      readonly body: AsyncIterable<Buffer>
    }
  | { readonly kind: 'failed'; readonly requestId: string; readonly fault: FunctionFault }
  | { readonly kind: 'throttled'; readonly requestId: string }

export class FunctionError extends Error {
  readonly fault: FunctionFault
  constructor(fault: FunctionFault) {
    super(`${fault.errorType}: ${fault.errorMessage}`)
    this.name = 'FunctionError'
    this.fault = fault
  }
}

export type AnswerListener = {
  readonly prelude: () => void
  readonly chunk: (bytes: Buffer) => void
  readonly end: (fault: FunctionFault | undefined) => void
  /** The reason why the connection broke, if it did: the environment's timeout or exit. */
  readonly broken: () => FunctionFault
}

/** Resolves at the first byte of the body, or at the failure if it came before. */
export function readStreamedAnswer(
  request: IncomingMessage,
  requestId: string,
  listener: AnswerListener,
): Promise<InvocationAnswer> {
  const contentType = request.headers['content-type'] ?? 'application/octet-stream'
  const splitter = contentType === preludeContentType ? createPreludeSplitter() : undefined
  let body: Readable | undefined
  let fault: FunctionFault | undefined

  return new Promise((resolve) => {
    const open = (prelude: Prelude | undefined) => {
      const stream = new Readable({ objectMode: true, read: () => request.resume() })
      body = stream
      const chunks = chunksUntilFault(stream, () => fault)
      resolve({ kind: 'streaming', requestId, contentType, prelude, body: chunks })
      return stream
    }
    const deliver = (stream: Readable, chunk: Buffer) => {
      if (chunk.length === 0) return
      listener.chunk(chunk)
      if (!stream.push(chunk)) request.pause()
    }
    const takeHead = (chunk: Buffer) => {
      if (splitter === undefined) return deliver(open(undefined), chunk)
      const head = splitter.push(chunk)
      if (head === 'malformed') return request.destroy()
      if (head === undefined) return
      listener.prelude()
      deliver(open(head.prelude), head.rest)
    }
    const finish = (how: FunctionFault | undefined) => {
      fault = how ?? (body === undefined && splitter !== undefined ? preludeMissing : undefined)
      listener.end(fault)
      if (body !== undefined) body.push(null)
      else if (fault !== undefined) resolve({ kind: 'failed', requestId, fault })
      else open(undefined).push(null)
    }
    request.on('data', (chunk: Buffer) => (body ? deliver(body, chunk) : takeHead(chunk)))
    request.once('end', () => finish(faultInTrailers(request.trailers)))
    request.once('close', () => {
      if (!request.complete) finish(listener.broken())
    })
    request.on('error', () => undefined)
  })
}

const preludeMissing: FunctionFault = {
  errorType: 'Harness.PreludeMissing',
  errorMessage: 'end() came before any write(): the runtime client sent no status and no headers',
}

async function* chunksUntilFault(
  stream: Readable,
  fault: () => FunctionFault | undefined,
): AsyncGenerator<Buffer> {
  for await (const chunk of stream as AsyncIterable<Buffer>) yield chunk
  const failure = fault()
  if (failure !== undefined) throw new FunctionError(failure)
}

function faultInTrailers(trailers: NodeJS.Dict<string>): FunctionFault | undefined {
  const errorType = trailers['lambda-runtime-function-error-type']
  if (errorType === undefined) return undefined
  const encoded = trailers['lambda-runtime-function-error-body'] ?? ''
  return parseFault(Buffer.from(encoded, 'base64').toString('utf8'), errorType)
}

export function parseFault(text: string, errorType = 'Unknown'): FunctionFault {
  const value = parseJson(text)
  if (!isRecord(value)) return { errorType, errorMessage: text }
  const message = String(value['errorMessage'] ?? '')
  return { errorType: String(value['errorType'] ?? errorType), errorMessage: message }
}

/** The whole body as text; for tests that invoke a function directly. */
export async function readText(answer: InvocationAnswer): Promise<string> {
  if (answer.kind === 'buffered') return answer.payload
  if (answer.kind !== 'streaming') throw new Error(`the invocation ${answer.kind}`)
  const chunks: Buffer[] = []
  for await (const chunk of answer.body) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

/** Calls a door as its function URL would: a plain event in, the answer collected in memory. */
import { Writable } from 'node:stream'
import type {
  FunctionUrlEvent,
  InvocationContext,
  ResponseHead,
  StreamingHandler,
} from '../../adapters/http/events.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts'

export class MemoryResponse extends Writable {
  status = 0
  headers: ResponseHead['headers'] = {}
  text = ''
  chunks: string[] = []

  setHead(head: ResponseHead): void {
    this.status = head.statusCode
    this.headers = head.headers
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.chunks.push(chunk.toString())
    this.text += chunk.toString()
    done()
  }

  /** The body, which must be a JSON object. */
  json(): JsonObject {
    const value: Json = JSON.parse(this.text)
    if (!isJsonObject(value)) throw new Error(`no object: ${this.text}`)
    return value
  }
}

export type SentRequest = {
  readonly headers?: { readonly [name: string]: string }
  readonly body?: string | Json
  readonly query?: string
  /** As the platform adds it behind a URL with AWS_IAM. */
  readonly iam?: boolean
  readonly base64?: boolean
  /** The address that the request came from. */
  readonly address?: string
}

const IAM = { authorizer: { iam: { accountId: '1', userArn: 'arn:aws:iam::1:role/sse' } } }

export function eventOf(method: string, path: string, sent: SentRequest = {}): FunctionUrlEvent {
  const {
    address = '203.0.113.9',
    headers = {},
    body,
    query = '',
    iam = false,
    base64 = false,
  } = sent
  const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body)
  const encoded = base64 && text !== undefined ? Buffer.from(text).toString('base64') : text
  return {
    version: '2.0',
    rawPath: path,
    rawQueryString: query,
    headers: { host: 'gw.example', 'content-type': 'application/json', ...headers },
    requestContext: {
      http: { method, path, sourceIp: address },
      ...(iam ? IAM : {}),
      requestId: 'r-1',
      domainName: 'gw.example',
    },
    ...(encoded === undefined ? {} : { body: encoded }),
    isBase64Encoded: base64,
  }
}

export function contextOf(remainingMs = Number.POSITIVE_INFINITY): InvocationContext {
  return { awsRequestId: 'a-1', getRemainingTimeInMillis: () => remainingMs }
}

/** One request and its whole answer. */
export async function ask(
  door: StreamingHandler,
  method: string,
  path: string,
  sent: SentRequest = {},
): Promise<MemoryResponse> {
  const out = new MemoryResponse()
  await door(eventOf(method, path, sent), out, contextOf())
  return out
}

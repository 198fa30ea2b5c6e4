/** One request over node's HTTP, once, and its whole answer up to a limit. */
import { type Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'

export type HttpExchange = {
  readonly method: string
  readonly url: URL
  readonly headers: { readonly [name: string]: string }
  readonly body?: Uint8Array | undefined
  /** Undefined: a connection of node's own agent. */
  readonly agent?: Agent | undefined
  readonly signal: AbortSignal
  /** A longer answer is an error. */
  readonly answerBytesMax: number
}

export type HttpAnswer = { readonly status: number; readonly body: Buffer }

/** Throws node's errors, also where `signal` aborts or the answer ends early. */
export async function exchange(request: HttpExchange): Promise<HttpAnswer> {
  return readAnswer(await sent(request), request.answerBytesMax)
}

function sent({
  agent,
  body,
  headers,
  method,
  signal,
  url,
}: HttpExchange): Promise<IncomingMessage> {
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest
  return new Promise((resolve, reject) => {
    const outgoing = send(url, { method, headers: { ...headers }, agent, signal })
    outgoing.once('response', resolve)
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

async function readAnswer(incoming: IncomingMessage, bytesMax: number): Promise<HttpAnswer> {
  const chunks: Buffer[] = []
  let total = 0
  for await (const chunk of incoming) {
    total += chunk.length
    if (total > bytesMax) throw new Error(`answer over ${bytesMax} bytes`)
    chunks.push(chunk)
  }
  return { status: incoming.statusCode ?? 0, body: Buffer.concat(chunks) }
}

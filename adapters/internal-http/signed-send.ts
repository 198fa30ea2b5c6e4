/**
 * POSTs to a function URL with AWS_IAM, signed with the credentials that Lambda gives the function
 * (SigV4, service `lambda`), over kept connections. Never sends anything twice: the peer may have
 * begun to work. Compares wall-clock times to drop idle sockets, since a frozen function's timers
 * stand still.
 */
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { SignatureV4 } from '@smithy/signature-v4'
import { Fault } from '../../core/errors.ts'
import type { Clock } from '../../core/ports.ts'
import { NodeSha256 } from '../config/node-sha256.ts'
import type { InternalAnswer, InternalRequest, InternalSend } from './peer-send.ts'

export type SignedSendOptions = {
  /** `lambda` by default. */
  readonly service?: 'events' | 'lambda'
  /** The function's URL; a path in it precedes the request's path. */
  readonly url: URL
  readonly region: string
  readonly credentials: {
    readonly accessKeyId: string
    readonly secretAccessKey: string
    readonly sessionToken: string | undefined
  }
  readonly clock: Pick<Clock, 'nowMs'>
}

/** Twice a 4 MB upstream answer as JSON text: it appears as text and as structured content. */
export const PEER_ANSWER_BYTES_MAX = 16_777_216
/** Well below the idle time after which AWS's front end closes a connection. */
const IDLE_SOCKET_MS = 4_000
const SOCKETS_MAX = 64
/**
 * A hop between us and the function may write its own span into this header; that must not break
 * the signature.
 */
const UNSIGNED = new Set(['traceparent'])

export function signedSend(options: SignedSendOptions): InternalSend {
  const { url, clock } = options
  const sign = signer(options)
  const agent = agentFor(url)
  let lastUsedMs = clock.nowMs()
  return async (request, until) => {
    if (clock.nowMs() - lastUsedMs > IDLE_SOCKET_MS) dropIdle(agent)
    lastUsedMs = clock.nowMs()
    const timeout = AbortSignal.timeout(until.timeoutMs)
    const signal = until.signal === undefined ? timeout : AbortSignal.any([timeout, until.signal])
    try {
      const target = new URL(url.pathname.replace(/\/+$/, '') + request.path, url)
      const headers = await sign(target, request)
      return await readAnswer(await post({ target, headers, body: request.body, agent, signal }))
    } catch (cause) {
      throw new Fault('internal', `no answer from the peer function to ${request.path}`, cause)
    } finally {
      lastUsedMs = clock.nowMs()
    }
  }
}

type Headers = { readonly [name: string]: string }

function signer({ region, credentials, clock, service = 'lambda' }: SignedSendOptions) {
  const { accessKeyId, secretAccessKey, sessionToken } = credentials
  const signature = new SignatureV4({
    service,
    region,
    sha256: NodeSha256,
    credentials: {
      accessKeyId,
      secretAccessKey,
      ...(sessionToken === undefined ? {} : { sessionToken }),
    },
  })
  return async (target: URL, { headers, body }: InternalRequest): Promise<Headers> => {
    const unsigned = {
      method: 'POST',
      protocol: target.protocol,
      hostname: target.hostname,
      path: target.pathname,
      query: {},
      headers: { ...headers, host: target.host, 'content-length': String(body.length) },
      body,
    }
    const signingDate = new Date(clock.nowMs())
    const signed = await signature.sign(unsigned, { signingDate, unsignableHeaders: UNSIGNED })
    return signed.headers
  }
}

function agentFor(url: URL): HttpAgent {
  const pool = {
    keepAlive: true,
    maxSockets: SOCKETS_MAX,
    scheduling: 'lifo',
    timeout: IDLE_SOCKET_MS,
  } as const
  return url.protocol === 'https:' ? new HttpsAgent(pool) : new HttpAgent(pool)
}

function dropIdle(agent: HttpAgent): void {
  for (const sockets of Object.values(agent.freeSockets)) {
    for (const socket of sockets ?? []) socket.destroy()
  }
}

function post(sending: {
  target: URL
  headers: Headers
  body: Uint8Array
  agent: HttpAgent
  signal: AbortSignal
}): Promise<IncomingMessage> {
  const { target, headers, body, agent, signal } = sending
  const send = target.protocol === 'https:' ? httpsRequest : httpRequest
  return new Promise((resolve, reject) => {
    const outgoing = send(target, { method: 'POST', headers, agent, signal })
    outgoing.once('response', resolve)
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

async function readAnswer(incoming: IncomingMessage): Promise<InternalAnswer> {
  const chunks: Buffer[] = []
  let total = 0
  for await (const chunk of incoming) {
    total += chunk.length
    if (total > PEER_ANSWER_BYTES_MAX) throw new Error(`answer over ${PEER_ANSWER_BYTES_MAX} bytes`)
    chunks.push(chunk)
  }
  return { status: incoming.statusCode ?? 0, body: Buffer.concat(chunks) }
}

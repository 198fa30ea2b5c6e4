/**
 * Adds the key that the official suite does not send. Every request goes on to the gateway with
 * `Authorization` added and everything else unchanged but for `rewrite`, Host and Origin too: names of the proxy
 * become those of the gateway behind it, foreign names stay foreign. Answers stream through, and a
 * connection that one side drops is dropped on the other.
 */
import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { type LocalServer, readBody, startLocalServer } from '../lambda/local-server.ts'

export type KeyProxySettings = {
  /** Origin of the gateway, `http://127.0.0.1:8787`. */
  readonly gateway: string
  readonly key: string
  /**
   * Sent as `mcp-session-id` with every answer to an initialize that has none. run.ts has the
   * reason: the suite tries several streams at once only with a server that gives a session.
   */
  readonly sessionId?: string
  /** Changes a body, and the `mcp-name` that repeats a member of it, before they go on. */
  readonly rewrite?: (text: string) => string
  /** Called with each request before it goes on; `response` finishes with its answer. */
  watch?(request: IncomingMessage, response: ServerResponse): void
}

/** Headers of one connection; the next hop has its own. */
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'transfer-encoding', 'upgrade'])

export async function startKeyProxy(settings: KeyProxySettings): Promise<LocalServer> {
  let own = ''
  const server = await startLocalServer((request, response) => {
    settings.watch?.(request, response)
    send(settings, own, request, response)
  })
  own = server.host
  return server
}

/** A body that may be changed is read first, since its length is in the head. */
function send(
  settings: KeyProxySettings,
  own: string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { rewrite } = settings
  if (rewrite === undefined || request.method !== 'POST') {
    forward(settings, own, { request, body: undefined }, response)
    return
  }
  readBody(request, BODY_BYTES_MAX).then(
    (read) => {
      const body = rewrite(read?.toString('utf8') ?? '')
      forward(settings, own, { request, body }, response)
    },
    () => response.destroy(),
  )
}

/** Requests of the suite are below 10 kB. */
const BODY_BYTES_MAX = 262_144

function forward(
  settings: KeyProxySettings,
  own: string,
  { body, request }: { readonly request: IncomingMessage; readonly body: string | undefined },
  response: ServerResponse,
): void {
  const { hostname, port, host } = new URL(settings.gateway)
  const headers = gatewayHeaders(request.rawHeaders, { own, gateway: host, key: settings.key })
  const { method = 'GET', url = '/' } = request
  // `agent: false`: a connection of its own, so that its end belongs to this request alone.
  if (body !== undefined) rewriteHeaders(headers, settings, body)
  const onward = httpRequest({ hostname, port, path: url, method, headers, agent: false })
  let isInitialize = false
  if (body === undefined) {
    request.on('data', (chunk: Buffer) => {
      isInitialize ||= chunk.includes('"initialize"')
      onward.write(chunk)
    })
    request.once('end', () => onward.end())
  } else {
    isInitialize = body.includes('"initialize"')
    onward.end(body)
  }
  response.once('close', () => onward.destroy())
  onward.once('error', () => response.destroy())
  onward.once('response', (answer) => {
    const sessionId = isInitialize ? settings.sessionId : undefined
    response.writeHead(answer.statusCode ?? 502, answerHeaders(answer.rawHeaders, sessionId))
    // An event stream may be silent for a while; its head must not wait for the first event.
    response.flushHeaders()
    answer.once('error', () => response.destroy())
    answer.pipe(response)
  })
}

function rewriteHeaders(
  headers: string[],
  { rewrite = (text) => text }: KeyProxySettings,
  body: string,
): void {
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at]?.toLowerCase()
    if (name === 'mcp-name') headers[at + 1] = rewrite(headers[at + 1] ?? '')
    if (name === 'content-length') headers[at + 1] = String(Buffer.byteLength(body))
  }
}

/** Flat, like `rawHeaders`, so that order, case and repetition survive. */
function gatewayHeaders(
  raw: readonly string[],
  names: { readonly own: string; readonly gateway: string; readonly key: string },
): string[] {
  const kept = pairsOf(raw).flatMap(([name, value]) => {
    switch (name.toLowerCase()) {
      case 'host':
        return [name, isOwn(value, names.own) ? names.gateway : value]
      case 'origin':
        return [name, isOwn(value, `http://${names.own}`) ? `http://${names.gateway}` : value]
      default:
        return HOP_BY_HOP.has(name.toLowerCase()) ? [] : [name, value]
    }
  })
  return [...kept, 'authorization', `Bearer ${names.key}`]
}

/** The suite writes localhost for 127.0.0.1 in places. */
function isOwn(value: string, own: string): boolean {
  return value === own || value === own.replace('127.0.0.1', 'localhost')
}

function answerHeaders(raw: readonly string[], sessionId: string | undefined): string[] {
  const kept = pairsOf(raw).filter(([name]) => !HOP_BY_HOP.has(name.toLowerCase()))
  const hasSession = kept.some(([name]) => name.toLowerCase() === 'mcp-session-id')
  const added = sessionId === undefined || hasSession ? [] : ['mcp-session-id', sessionId]
  return [...kept.flat(), ...added]
}

function pairsOf(raw: readonly string[]): readonly (readonly [string, string])[] {
  const pairs: [string, string][] = []
  for (let i = 0; i + 1 < raw.length; i += 2) pairs.push([raw[i] ?? '', raw[i + 1] ?? ''])
  return pairs
}

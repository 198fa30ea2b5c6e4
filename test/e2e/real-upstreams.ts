/**
 * Three kinds of real APIs, each on a server of its own that refuses wrong credentials: a key in a
 * header, OAuth 2.0 client credentials, a signature over each body. Their checks are written from
 * their documents, without any code of ours.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type RealUpstream = {
  readonly url: string
  readonly host: string
  /** Method, path and status of each request so far. */
  readonly served: readonly string[]
  close(): Promise<void>
}

type Answer = { readonly status: number; readonly body: object }
type Serve = (request: IncomingMessage, body: string) => Answer

async function start(serve: Serve): Promise<RealUpstream> {
  const served: string[] = []
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { body, status } = serve(request, Buffer.concat(chunks).toString('utf8'))
    served.push(`${request.method} ${request.url} ${status}`)
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body))
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = () => {
    server.closeAllConnections()
    return new Promise<void>((closed) => server.close(() => closed()))
  }
  return { url: `http://${host}`, host, served, close }
}

/**
 * Rates for the holder of a key; answers the holder's name, and repeats a wrong key as some APIs
 * do.
 */
export function startRates(owners: { readonly [key: string]: string }): Promise<RealUpstream> {
  return start((request) => {
    const key = String(request.headers['x-api-key'])
    const owner = Object.hasOwn(owners, key) ? owners[key] : undefined
    if (owner === undefined) {
      return { status: 401, body: { error: `The key ${key} is not known.` } }
    }
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://rates')
    const base = pathname.replace('/v1/rates/', '')
    const rates = searchParams.getAll('symbol').map((symbol) => `${base}/${symbol}`)
    return { status: 200, body: { rates: { owner, rates } } }
  })
}

export type Shop = RealUpstream & {
  /** Revokes every token given out so far. */
  expireTokens(): void
  /** Every token given out so far. */
  readonly tokens: readonly string[]
}

/** Orders behind RFC 6749 4.4, token endpoint and resource on one server. */
export async function startShop(client: {
  readonly id: string
  readonly secret: string
}): Promise<Shop> {
  const tokens: string[] = []
  const good = new Set<string>()
  const give = (request: IncomingMessage, body: string): Answer => {
    const form = new URLSearchParams(body)
    if (form.get('grant_type') !== 'client_credentials' || form.get('scope') !== 'orders:read') {
      return { status: 400, body: { error: 'unsupported_grant_type' } }
    }
    const [scheme, pair = ''] = String(request.headers.authorization).split(' ')
    const [id = '', secret = ''] = Buffer.from(pair, 'base64').toString('utf8').split(':')
    // RFC 6749 2.3.1: both are form-encoded before they are joined.
    const decoded = [id, secret].map((text) => new URLSearchParams(`a=${text}`).get('a'))
    if (scheme !== 'Basic' || decoded[0] !== client.id || decoded[1] !== client.secret) {
      return { status: 401, body: { error: 'invalid_client', error_description: decoded } }
    }
    const token = randomBytes(24).toString('base64url')
    tokens.push(token)
    good.add(token)
    return {
      status: 200,
      body: { access_token: token, token_type: 'Bearer', expires_in: 3600, scope: 'orders:read' },
    }
  }
  const shop = await start((request, body) => {
    if (request.method === 'POST' && request.url === '/oauth/token') return give(request, body)
    const token = /^Bearer (.+)$/.exec(String(request.headers.authorization))?.[1] ?? ''
    if (!good.has(token)) return { status: 401, body: { error: 'invalid_token', token } }
    const order = /^\/v2\/orders\/([^/]+)\/status$/.exec(request.url ?? '')?.[1]
    if (order === undefined) return { status: 404, body: { error: 'no such order' } }
    return { status: 200, body: { order: decodeURIComponent(order), status: 'shipped', token } }
  })
  return { ...shop, tokens, expireTokens: () => good.clear() }
}

/** A desk that accepts tickets whose signature it can compute itself. */
export function startDesk(expected: {
  readonly signingKey: string
  readonly team: string
}): Promise<RealUpstream> {
  let tickets = 0
  return start((request, body) => {
    const timestamp = String(request.headers['x-desk-timestamp'])
    const ageSec = Math.abs(Date.now() / 1000 - Number(timestamp))
    if (!(ageSec < 300)) return { status: 401, body: { error: 'stale' } }
    const right = createHmac('sha256', expected.signingKey).update(`${timestamp}.${body}`).digest()
    const given = Buffer.from(
      String(request.headers['x-desk-signature']).replace(/^v1=/, ''),
      'hex',
    )
    const isRight = given.length === right.length && timingSafeEqual(given, right)
    if (!isRight) return { status: 401, body: { error: 'wrong signature', key: expected.team } }
    if (request.headers['x-desk-team'] !== expected.team) {
      return { status: 403, body: { error: 'another team' } }
    }
    tickets += 1
    return { status: 201, body: { ticket: { id: tickets, ...JSON.parse(body) } } }
  })
}

/**
 * A small authorization server on 127.0.0.1: it signs any claims, serves metadata and keys, and
 * answers introspection. It logs nobody in. Each test changes `answers` to make it misbehave.
 */
import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { exportJWK, generateKeyPair, type JWK, type JWTHeaderParameters, SignJWT } from 'jose'
import type { IssuerSetting } from '../../core/issuers/issuer-setting.ts'
import type { JsonObject } from '../../core/json/json.ts'

export const TEST_AUDIENCE = 'https://mcp.example/mcp'
export const INTROSPECTION_CLIENT = { clientId: 'gate way', clientSecret: 'p+w/%' } as const
export const METADATA_PATH = '/.well-known/openid-configuration'

export type Answer = (request: IncomingMessage, response: ServerResponse) => void

export type TestIssuer = {
  /** The issuer's name and origin, `http://127.0.0.1:PORT`. */
  readonly url: string
  /** Its entry in the setting `issuers`, for JWTs. The keys are found by its metadata. */
  readonly setting: IssuerSetting & { readonly issuer: string }
  /** The same, and opaque tokens are introspected. */
  readonly introspecting: IssuerSetting
  /** A JWT: the claims replace the usual ones; undefined takes one away. */
  sign(claims?: Claims, header?: Partial<JWTHeaderParameters>): Promise<string>
  /** An opaque token, for which introspection answers these claims. */
  issueOpaque(claims?: Claims): string
  /** Paths of all requests so far, each with its method. */
  readonly requests: readonly string[]
  /** Answers that replace those of the issuer, by path. */
  readonly answers: Map<string, Answer>
  /** The public keys that it serves; a test may replace them. */
  keys: JWK[]
  /** From now on signs with a new key, `kid`, and serves only that one. */
  rotate(kid: string): Promise<void>
  stop(): Promise<void>
}

export type Claims = { readonly [claim: string]: unknown }

export type TestIssuerOptions = {
  /** The clock of the tokens; default: the wall clock. */
  readonly nowMs?: () => number
  readonly alg?: string
  readonly kid?: string
}

type Signer = {
  readonly key: Awaited<ReturnType<typeof generateKeyPair>>['privateKey']
  readonly header: { readonly alg: string; readonly kid: string }
}

/** Starts the issuer. The test that starts it stops it. */
export async function startTestIssuer(options: TestIssuerOptions = {}): Promise<TestIssuer> {
  const { alg = 'ES256', kid = 'key-1', nowMs = Date.now } = options
  const requests: string[] = []
  const answers = new Map<string, Answer>()
  const opaque = new Map<string, JsonObject>()
  let signer = await makeSigner(alg, kid)
  const server = createServer((request, response) => {
    const { pathname: path } = new URL(request.url ?? '/', 'http://127.0.0.1')
    requests.push(`${request.method} ${path}`)
    const answer = answers.get(path)
    if (answer !== undefined) return answer(request, response)
    if (path === '/keys') return answerJson(response, { keys: issuer.keys })
    if (path === METADATA_PATH)
      return answerJson(response, { issuer: url, jwks_uri: `${url}/keys` })
    if (path === '/introspect') return void introspect(request, response, opaque)
    response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  const claimsOf = (claims: Claims) => {
    const sec = Math.floor(nowMs() / 1_000)
    return dropUndefined({
      iss: url,
      sub: 'ada',
      aud: TEST_AUDIENCE,
      scope: 'tools:read tools:call',
      iat: sec,
      exp: sec + 300,
      ...claims,
    })
  }
  const setting = { issuer: url, audiences: [TEST_AUDIENCE] }
  const issuer: TestIssuer = {
    url,
    setting,
    introspecting: {
      ...setting,
      introspection: { url: `${url}/introspect`, ...INTROSPECTION_CLIENT },
    },
    requests,
    answers,
    keys: [signer.jwk],
    sign: (claims = {}, header = {}) =>
      new SignJWT(claimsOf(claims))
        .setProtectedHeader(dropUndefined({ typ: 'at+jwt', ...signer.header, ...header }))
        .sign(signer.key),
    issueOpaque: (claims = {}) => {
      const token = randomBytes(24).toString('base64url')
      opaque.set(token, { active: true, ...claimsOf(claims) } as JsonObject)
      return token
    },
    rotate: async (next) => {
      signer = await makeSigner(alg, next)
      issuer.keys = [signer.jwk]
    },
    stop: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
  return issuer
}

async function makeSigner(alg: string, kid: string): Promise<Signer & { readonly jwk: JWK }> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  const jwk = { ...(await exportJWK(publicKey)), alg, kid, use: 'sig' }
  return { key: privateKey, header: { alg, kid }, jwk }
}

async function introspect(
  request: IncomingMessage,
  response: ServerResponse,
  known: ReadonlyMap<string, JsonObject>,
): Promise<void> {
  // RFC 6749 2.3.1: both parts are form-encoded. A literal, so that it is not the gateway's own.
  const expected = `Basic ${Buffer.from('gate+way:p%2Bw%2F%25').toString('base64')}`
  if (request.headers.authorization !== expected) {
    response.writeHead(401).end()
    return
  }
  let body = ''
  for await (const part of request) body += part
  const token = new URLSearchParams(body).get('token') ?? ''
  answerJson(response, known.get(token) ?? { active: false })
}

export function answerJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

function dropUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T
}

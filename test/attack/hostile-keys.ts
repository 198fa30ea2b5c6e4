/** Lies of an issuer about its keys. With none of them a token of it may be accepted. */
import { createHmac } from 'node:crypto'
import type { OutgoingHttpHeaders } from 'node:http'
import { gzipSync } from 'node:zlib'
import { type Answer, METADATA_PATH, type TestIssuer } from '../issuers/test-issuer.ts'
import type { HostileUpstreams } from './hostile-upstreams.ts'
import { assemble, claimsOf } from './tokens.ts'

export type Lie = {
  readonly what: string
  tell(issuer: TestIssuer): void
  /** One more token, made of a good one, that only the lie would make good. */
  forge?(token: string): string
}

/** A list of more is not read: 131,072 bytes. */
const TOO_LARGE = ' '.repeat(200_000)
/** 100 MB of spaces are 100 kB when they are packed. */
const BOMB_BYTES = 100_000_000
const SECRET = Buffer.from('a secret that everybody knows')

export function listLies({ clients, issuers }: HostileUpstreams): readonly Lie[] {
  const { inner } = clients
  const [, port = ''] = inner.split(':')
  const places = [
    `http://${inner}/keys`,
    `https://${inner}/keys`,
    `http://localhost:${port}/keys`,
    `http://[::ffff:127.0.0.1]:${port}/keys`,
    'http://169.254.169.254/latest/meta-data/',
    'file:///etc/passwd',
  ]
  const redirect = (to: string) => answerWith({ status: 302, headers: { location: to } })
  return [
    ...places.map((to) =>
      lieInMetadata(`keys at ${to}`, ({ url }) => ({ issuer: url, jwks_uri: to })),
    ),
    lieInMetadata('metadata of another issuer', ({ url }) => ({
      issuer: issuers.stranger.url,
      jwks_uri: `${url}/keys`,
    })),
    lieAt(METADATA_PATH, 'metadata that redirect inward', () => redirect(`http://${inner}/x`)),
    lieAt('/keys', 'keys that redirect inward', () => redirect(`http://${inner}/keys`)),
    lieAt('/keys', 'keys that redirect to others', () => redirect(`${issuers.stranger.url}/keys`)),
    lieAt('/keys', 'a length that is too large', (keys) =>
      answerWith({ headers: { 'content-length': keys.length + 100 }, body: keys }),
    ),
    lieAt('/keys', 'a length that is too small', (keys) =>
      answerWith({ headers: { 'content-length': keys.length - 20 }, body: keys }),
    ),
    lieAt('/keys', '200 kB', (keys) => answerWith({ body: `${TOO_LARGE}${keys}` })),
    lieAt('/keys', '100 MB in 100 kB', () =>
      answerWith({
        headers: { 'content-encoding': 'gzip' },
        body: gzipSync(Buffer.alloc(BOMB_BYTES, ' ')),
      }),
    ),
    lieAt('/keys', '101 keys', (keys) =>
      answerWith({ body: JSON.stringify({ keys: Array(101).fill(JSON.parse(keys).keys[0]) }) }),
    ),
    {
      ...lieAt('/keys', 'a secret as a key', () => answerWith({ body: secretKeys() })),
      forge: signBySecret,
    },
    lieAt('/keys', 'a page', () => answerWith({ body: '<h1>hello</h1>' })),
    lieAt('/keys', 'deep JSON', () => answerWith({ body: `{"keys":${'['.repeat(60_000)}` })),
  ]
}

function lieInMetadata(what: string, describe: (issuer: TestIssuer) => object): Lie {
  const tell = (issuer: TestIssuer) =>
    void issuer.answers.set(METADATA_PATH, answerWith({ body: JSON.stringify(describe(issuer)) }))
  return { what, tell }
}

function lieAt(path: string, what: string, answer: (keys: string) => Answer): Lie {
  const tell = (issuer: TestIssuer) =>
    void issuer.answers.set(path, answer(JSON.stringify({ keys: issuer.keys })))
  return { what, tell }
}

type Written = {
  readonly status?: number
  readonly headers?: OutgoingHttpHeaders
  readonly body?: string | Buffer
}

function answerWith({ body = '', headers = {}, status = 200 }: Written): Answer {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(body)
  }
}

function secretKeys(): string {
  const k = SECRET.toString('base64url')
  return JSON.stringify({ keys: [{ kty: 'oct', kid: 'key-1', alg: 'HS256', k }] })
}

function signBySecret(token: string): string {
  const header = { typ: 'at+jwt', alg: 'HS256', kid: 'key-1' }
  const sign = (input: string) => createHmac('sha256', SECRET).update(input).digest('base64url')
  return assemble(header, claimsOf(token), sign)
}

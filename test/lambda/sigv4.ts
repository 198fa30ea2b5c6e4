// Checks an AWS Signature Version 4 in the Authorization header, as a function URL with AWS_IAM
// and other services do: recomputes it from the request as it came in. Written from the specification and not with
// the signer that the doors use, so that the two check each other.

import { createHash, createHmac } from 'node:crypto'
import { type TestRole, testRegion } from './credentials.ts'

export type SignedRequest = {
  readonly method: string
  /** path and query as sent */
  readonly target: string
  /** lower-cased names */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export type SigV4Verdict =
  | { readonly role: TestRole }
  | { readonly refusal: string; readonly role?: undefined }

const algorithm = 'AWS4-HMAC-SHA256'
const clockSkewMsMax = 5 * 60_000
const header =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/

/** `roles` are the callers that the URL's policy lets in. `service`: AWS's name in the scope. */
export function verifySigV4(
  request: SignedRequest,
  roles: readonly TestRole[],
  nowMs: number,
  service = 'lambda',
): SigV4Verdict {
  const { headers, body } = request
  const match = header.exec(headers['authorization'] ?? '')
  if (match === null) return { refusal: `no ${algorithm} Authorization header` }
  const [, accessKeyId = '', scope = '', signedNames = '', signature = ''] = match
  const amzDate = headers['x-amz-date'] ?? ''
  const names = signedNames.split(';')
  const role = roles.find((one) => one.accessKeyId === accessKeyId)
  if (role === undefined) return { refusal: `${accessKeyId} may not call this URL` }
  if (headers['x-amz-security-token'] !== role.sessionToken) return { refusal: 'session token' }
  if (scope !== `${amzDate.slice(0, 8)}/${testRegion}/${service}/aws4_request`)
    return { refusal: `scope ${scope}` }
  if (!isRecent(amzDate, nowMs)) return { refusal: `x-amz-date ${amzDate}` }
  const unsigned = mustBeSigned(headers).filter((name) => !names.includes(name))
  if (unsigned.length > 0) return { refusal: `unsigned headers: ${unsigned.join(', ')}` }
  const payloadHash = sha256(body)
  const statedHash = headers['x-amz-content-sha256'] ?? payloadHash
  if (statedHash !== payloadHash) return { refusal: 'x-amz-content-sha256 is not of this body' }
  const canonical = canonicalRequest(request, names, { payloadHash, service })
  const toSign = [algorithm, amzDate, scope, sha256(canonical)].join('\n')
  const expected = hmac(signingKey(role, scope), toSign).toString('hex')
  return expected === signature ? { role } : { refusal: 'the signature does not match' }
}

function mustBeSigned(headers: Readonly<Record<string, string>>): string[] {
  return Object.keys(headers).filter((name) => name === 'host' || name.startsWith('x-amz-'))
}

function isRecent(amzDate: string, nowMs: number): boolean {
  const [, y, mo, d, h, mi, s] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(amzDate) ?? []
  if (s === undefined) return false
  const sentMs = Date.parse(`${y}-${mo}-${d}T${h}:${mi}:${s}Z`)
  return Math.abs(nowMs - sentMs) <= clockSkewMsMax
}

function canonicalRequest(
  request: SignedRequest,
  names: string[],
  { payloadHash, service }: { readonly payloadHash: string; readonly service: string },
): string {
  const [path = '', query = ''] = request.target.split(/\?(.*)/s)
  const headerLines = names.map((name) => {
    return `${name}:${(request.headers[name] ?? '').trim().replaceAll(/\s+/g, ' ')}\n`
  })
  const canonical = service === 's3' ? canonicalKey(path) : canonicalPath(path)
  const parts = [request.method, canonical, canonicalQuery(query)]
  return [...parts, headerLines.join(''), names.join(';'), payloadHash].join('\n')
}

/** Every service but S3 encodes the path as sent once more; empty segments are dropped. */
function canonicalPath(path: string): string {
  const segments = path.split('/').filter((segment) => segment !== '')
  const end = path.endsWith('/') && segments.length > 0 ? '/' : ''
  return `/${segments.map(encode).join('/')}${end}`
}

/** S3 decodes the key and encodes it once; it keeps empty segments. */
function canonicalKey(path: string): string {
  return path
    .split('/')
    .map((segment) => encode(decodeURIComponent(segment)))
    .join('/')
}

function canonicalQuery(query: string): string {
  if (query === '') return ''
  const pairs = query.split('&').map((pair) => {
    const [name = '', value = ''] = pair.split(/=(.*)/s)
    return [encode(decodeURIComponent(name)), encode(decodeURIComponent(value))] as const
  })
  pairs.sort((a, b) => compare(a[0], b[0]) || compare(a[1], b[1]))
  return pairs.map(([name, value]) => `${name}=${value}`).join('&')
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

function encode(text: string): string {
  const hex = (char: string) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, hex)
}

function signingKey(role: TestRole, scope: string): Buffer {
  const secret: string | Buffer = `AWS4${role.secretAccessKey}`
  return scope.split('/').reduce<Buffer>((key, part) => hmac(key, part), Buffer.from(secret))
}

function hmac(key: Buffer, data: string): Buffer {
  return createHmac('sha256', key).update(data).digest()
}

function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex')
}

/** Signatures by hand against the SDK's signer on random requests, and the parts that differ between services. */
import { createHash, createHmac } from 'node:crypto'
import { SignatureV4 } from '@smithy/signature-v4'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type Credentials,
  makeSigner,
  type UnsignedRequest,
} from '../../../adapters/aws/sign-request.ts'

const NOW_MS = Date.UTC(2026, 10, 23, 4)
const KEY = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'example' }

function signature(change: {
  path?: string
  service?: string
  headers?: { readonly [name: string]: string }
}): string {
  const { headers = {}, path = '/', service = 'logs' } = change
  const request = { method: 'GET', url: new URL(path, 'https://host.example'), headers }
  return makeSigner(service, 'eu-central-1')(request, KEY, NOW_MS)['authorization'] ?? ''
}

test('a query is signed, whatever the order of its names', () => {
  const one = signature({ path: '/?a=1&b=%2F' })
  expect(signature({ path: '/?b=%2F&a=1' })).toBe(one)
  expect(signature({ path: '/?a=1&b=2' })).not.toBe(one)
})

test('a path that is encoded already is signed as it is for S3, and encoded once more for others', () => {
  const scope = (text: string) => text.slice(0, text.indexOf('SignedHeaders'))
  expect(scope(signature({ service: 's3', path: '/day%3D1' }))).toBe(
    'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261123/eu-central-1/s3/aws4_request, ',
  )
  expect(signature({ path: '/day%3D1' })).not.toBe(signature({ path: '/day=1' }))
})

test('a traceparent is sent and not signed, and other headers are', () => {
  const traced = signature({ headers: { traceparent: '00-1-1-01', 'x-a': '1' } })
  expect(signature({ headers: { traceparent: '00-2-2-01', 'x-a': '1' } })).toBe(traced)
  expect(signature({ headers: { 'x-a': '2' } })).not.toBe(traced)
})

test('a new secret of the same day signs with a key of its own', () => {
  const sign = makeSigner('kms', 'us-east-1')
  const request = { method: 'POST', url: new URL('https://h.example'), headers: {}, body: '{}' }
  const first = sign(request, KEY, 0)
  expect(sign(request, { ...KEY, secretAccessKey: 'other' }, 0)).not.toEqual(first)
  expect(sign(request, KEY, 0)).toEqual(first)
})

const word = fc.stringMatching(/^[A-Za-z0-9]{1,40}$/)
const services = fc.constantFrom('dynamodb', 'events', 'kms', 'lambda', 's3')
/** With a double slash, signs that RFC 3986 encodes, and an encoded slash. */
const paths = fc.constantFrom('/', '/v1/execute', '//a//b/', "/day=1/it's(1)*!.gz", '/a%2Fb/%C3%A9')
/** The SDK keeps a query in an object, which loses a parameter of this name. */
const queryNames = fc.string({ minLength: 1 }).filter((name) => name !== '__proto__')
const requests: fc.Arbitrary<UnsignedRequest> = fc
  .record({
    method: fc.constantFrom('GET', 'POST', 'PUT'),
    origin: fc.constantFrom(
      'https://kms.eu-central-1.amazonaws.com',
      'http://127.0.0.1:8000',
      'http://[::1]:80',
    ),
    path: paths,
    query: fc.dictionary(queryNames, fc.string(), { maxKeys: 4 }),
    headers: fc.record(
      {
        'content-type': word,
        'x-amz-target': word,
        traceparent: word,
        'x-a': fc.constantFrom(' a  b ', 'c\td'),
      },
      { requiredKeys: [] },
    ),
    body: fc.oneof(
      fc.json(),
      fc.string({ unit: 'binary' }),
      fc.uint8Array(),
      fc.constant(undefined),
    ),
  })
  .map(({ origin, path, query, ...rest }) => {
    const url = new URL(origin + path)
    url.search = String(new URLSearchParams(query))
    return { ...rest, url }
  })
const credentials: fc.Arbitrary<Credentials> = fc.record({
  accessKeyId: word,
  secretAccessKey: fc.string({ minLength: 1 }),
  sessionToken: fc.option(fc.base64String({ minLength: 4 }), { nil: undefined }),
})
/** Whole seconds, years 2000 to 2100. */
const times = fc.integer({ min: 946_684_800, max: 4_102_444_800 }).map((sec) => sec * 1_000)

test("a signature by hand is that of the SDK's signer, for any request", async () => {
  const run = fc.asyncProperty(
    services,
    requests,
    credentials,
    times,
    async (service, request, by, atMs) => {
      const sign = makeSigner(service, 'cn-north-1')
      // A second request of another day, so that a key that was kept must be replaced.
      sign(request, by, atMs - 86_400_000)
      expect(sign(request, by, atMs)).toEqual(await signedBySdk(service, request, by, atMs))
    },
  )
  await fc.assert(run, { numRuns: 500 })
})

async function signedBySdk(
  service: string,
  { body, headers, method, url }: UnsignedRequest,
  { sessionToken, ...key }: Credentials,
  atMs: number,
) {
  const sdk = new SignatureV4({
    service,
    region: 'cn-north-1',
    sha256: Sha256,
    credentials: { ...key, ...(sessionToken === undefined ? {} : { sessionToken }) },
    uriEscapePath: service !== 's3',
  })
  const signed = await sdk.sign(
    {
      method,
      protocol: url.protocol,
      hostname: url.hostname,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: { ...headers, host: url.host },
      body,
    },
    { signingDate: new Date(atMs), unsignableHeaders: new Set(['traceparent']) },
  )
  return signed.headers
}

/** Node's, in the shape that the SDK's signer asks for. */
class Sha256 {
  readonly #hash

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(secret))
  }

  update(chunk: Uint8Array): void {
    this.#hash.update(chunk)
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest()
  }

  reset(): void {}
}

function bytesOf(source: string | ArrayBuffer | ArrayBufferView): Uint8Array {
  if (typeof source === 'string') return Buffer.from(source)
  if (source instanceof ArrayBuffer) return new Uint8Array(source)
  return new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
}

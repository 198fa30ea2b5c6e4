/** Signatures by hand against the SDK's signer on random requests, and the parts that differ between services. */
import { createHash, createHmac } from 'node:crypto'
import { SignatureV4 } from '@smithy/signature-v4'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Credentials,
  makeSigner,
  toSignableUrl,
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

/** https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html */
describe("AWS's published example", () => {
  const by = {
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  }
  const sign = makeSigner('s3', 'us-east-1')
  const put = { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' }

  test.each([
    {
      method: 'GET',
      path: '/test.txt',
      headers: { range: 'bytes=0-9' },
      body: '',
      expected: 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    },
    {
      method: 'PUT',
      path: '/test$file.text',
      headers: put,
      body: 'Welcome to Amazon S3.',
      expected: '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
    },
    {
      method: 'GET',
      path: '/?lifecycle',
      headers: {},
      body: '',
      expected: 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
    },
    {
      method: 'GET',
      path: '/?max-keys=2&prefix=J',
      headers: {},
      body: '',
      expected: '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
    },
  ])('of $method $path has the published signature', ({ expected, path, ...request }) => {
    const url = toSignableUrl(new URL(path, 'https://examplebucket.s3.amazonaws.com'))
    const signed = sign({ ...request, url }, by, Date.UTC(2013, 4, 24))
    expect(signed['authorization']?.slice(-64)).toBe(expected)
  })
})

test.each([
  ['/a%41(b)/é', '/aA%28b%29/%C3%A9'],
  ['/a%2fb//c/', '/a%2Fb//c/'],
  ['/?b=2&a=1&a=0&x', '/?b=2&a=1&a=0&x'],
  ['/?q=a+b%20c%2B', '/?q=a%20b%20c%2B'],
  ['/?q=%ff%zz&=v&&k=a=b', '/?q=%FF%25zz&=v&k=a%3Db'],
  ['/a/../b/%2e/c#d', '/b/c'],
])('%s is sent as %s', (path, expected) => {
  const { pathname, search } = toSignableUrl(new URL(path, 'https://h.example'))
  expect(pathname + search).toBe(expected)
})

test('bytes of a query that are not UTF-8 are signed as they are sent', () => {
  expect(signature({ path: '/?a=%ff' })).not.toBe(signature({ path: '/?a=%fe' }))
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

test('a request with a repeated name of its query is signed as the SDK signs it', async () => {
  const values = fc.array(fc.string(), { minLength: 2, maxLength: 4 })
  const run = fc.asyncProperty(services, values, credentials, async (service, all, by) => {
    const url = new URL(
      `https://h.example/x?${new URLSearchParams(all.map((one): [string, string] => ['k', one]))}`,
    )
    const request = { method: 'GET', url, headers: {} }
    const signed = makeSigner(service, 'cn-north-1')(request, by, NOW_MS)
    expect(signed).toEqual(await signedBySdk(service, request, by, NOW_MS))
  })
  await fc.assert(run, { numRuns: 200 })
})

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
      query: toSdkQuery(url.searchParams),
      headers: { ...headers, host: url.host },
      body,
    },
    { signingDate: new Date(atMs), unsignableHeaders: new Set(['traceparent']) },
  )
  return signed.headers
}

/** The SDK keeps a repeated name once, with a list of its values. */
function toSdkQuery(pairs: URLSearchParams): Record<string, string | string[]> {
  return Object.fromEntries(
    [...pairs].map(([name, value]) => {
      const all = pairs.getAll(name)
      return [name, all.length > 1 ? all : value]
    }),
  )
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

/** The signature by hand against the general signer, on random requests. */
import { SignatureV4 } from '@smithy/signature-v4'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { NodeSha256 } from '../../../../../adapters/aws/node-sha256.ts'
import type { Credentials } from '../../../../../adapters/aws/sign-request.ts'
import {
  signer,
  type UnsignedRequest,
} from '../../../../../adapters/dynamodb/client/signed/sign-request.ts'

const word = fc.stringMatching(/^[A-Za-z0-9]{1,40}$/)
const requests: fc.Arbitrary<UnsignedRequest> = fc.record({
  host: fc.constantFrom('dynamodb.eu-central-1.amazonaws.com', '127.0.0.1:8000', '[::1]:80'),
  target: fc.constantFrom('DynamoDB_20120810.GetItem', 'DynamoDB_20120810.TransactWriteItems'),
  body: fc.oneof(fc.json(), fc.string({ unit: 'binary' })),
})
const credentials: fc.Arbitrary<Credentials> = fc.record({
  accessKeyId: word,
  secretAccessKey: fc.string({ minLength: 1 }),
  sessionToken: fc.option(fc.base64String({ minLength: 4 }), { nil: undefined }),
})
/** Whole seconds, years 2000 to 2100. */
const times = fc.integer({ min: 946_684_800, max: 4_102_444_800 }).map((sec) => sec * 1_000)

test('a signature by hand is that of the general signer, for any request', async () => {
  const run = fc.asyncProperty(
    requests,
    credentials,
    times,
    fc.constantFrom('eu-central-1', 'cn-north-1'),
    async (request, { sessionToken, ...key }, atMs, region) => {
      const sign = signer(region)
      const by = { ...key, sessionToken }
      // A second request of another day, so that a key that was kept must be replaced.
      sign(request, by, atMs - 86_400_000)
      expect(sign(request, by, atMs)).toEqual(await signedByGeneral(request, by, atMs, region))
    },
  )
  await fc.assert(run, { numRuns: 300 })
})

async function signedByGeneral(
  { body, host, target }: UnsignedRequest,
  { sessionToken, ...key }: Credentials,
  atMs: number,
  region: string,
) {
  const general = new SignatureV4({
    service: 'dynamodb',
    region,
    sha256: NodeSha256,
    // DynamoDB takes the hash of the body from the body.
    applyChecksum: false,
    credentials: { ...key, ...(sessionToken === undefined ? {} : { sessionToken }) },
  })
  const { headers } = await general.sign(
    {
      method: 'POST',
      protocol: 'https:',
      hostname: host,
      path: '/',
      query: {},
      headers: { host, 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': target },
      body,
    },
    { signingDate: new Date(atMs) },
  )
  return headers
}

test('a new secret of the same day signs with a key of its own', () => {
  const sign = signer('us-east-1')
  const request = { host: 'h', target: 't', body: '{}' }
  const one = { accessKeyId: 'A', secretAccessKey: 'one', sessionToken: undefined }
  const other = { ...one, secretAccessKey: 'other' }
  const first = sign(request, one, 0)
  expect(sign(request, other, 0)['authorization']).not.toBe(first['authorization'])
  expect(sign(request, one, 0)).toEqual(first)
})

/** The signature by hand against the general signer, on random requests. */
import { SignatureV4 } from '@smithy/signature-v4'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { NodeSha256 } from '../../../../adapters/aws/node-sha256.ts'
import type { Credentials } from '../../../../adapters/aws/sign-request.ts'
import {
  type SignedService,
  signer,
  type UnsignedRequest,
} from '../../../../adapters/aws/signed/sign-request.ts'

const word = fc.stringMatching(/^[A-Za-z0-9]{1,40}$/)
/** DynamoDB and KMS as the light client signs for them. */
const services: fc.Arbitrary<SignedService> = fc.constantFrom(
  { signingName: 'dynamodb', contentType: 'application/x-amz-json-1.0' },
  { signingName: 'kms', contentType: 'application/x-amz-json-1.1' },
)
const requests: fc.Arbitrary<UnsignedRequest> = fc.record({
  host: fc.constantFrom('kms.eu-central-1.amazonaws.com', '127.0.0.1:8000', '[::1]:80'),
  target: fc.constantFrom('DynamoDB_20120810.GetItem', 'TrentService.Decrypt'),
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
    fc.tuple(services, fc.constantFrom('eu-central-1', 'cn-north-1')),
    requests,
    credentials,
    times,
    async ([service, region], request, { sessionToken, ...key }, atMs) => {
      const sign = signer(service, region)
      const by = { ...key, sessionToken }
      // A second request of another day, so that a key that was kept must be replaced.
      sign(request, by, atMs - 86_400_000)
      const general = generalSigner(service, region, by)
      expect(sign(request, by, atMs)).toEqual(await signedBy(general, service, request, atMs))
    },
  )
  await fc.assert(run, { numRuns: 300 })
})

function generalSigner(
  { signingName }: SignedService,
  region: string,
  { sessionToken, ...key }: Credentials,
): SignatureV4 {
  return new SignatureV4({
    service: signingName,
    region,
    sha256: NodeSha256,
    // The services take the hash of the body from the body.
    applyChecksum: false,
    credentials: { ...key, ...(sessionToken === undefined ? {} : { sessionToken }) },
  })
}

async function signedBy(
  general: SignatureV4,
  { contentType }: SignedService,
  { body, host, target }: UnsignedRequest,
  atMs: number,
) {
  const { headers } = await general.sign(
    {
      method: 'POST',
      protocol: 'https:',
      hostname: host,
      path: '/',
      query: {},
      headers: { host, 'content-type': contentType, 'x-amz-target': target },
      body,
    },
    { signingDate: new Date(atMs) },
  )
  return headers
}

test('a new secret of the same day signs with a key of its own', () => {
  const kms = { signingName: 'kms', contentType: 'application/x-amz-json-1.1' }
  const sign = signer(kms, 'us-east-1')
  const request = { host: 'h', target: 't', body: '{}' }
  const one = { accessKeyId: 'A', secretAccessKey: 'one', sessionToken: undefined }
  const other = { ...one, secretAccessKey: 'other' }
  const first = sign(request, one, 0)
  expect(sign(request, other, 0)['authorization']).not.toBe(first['authorization'])
  expect(sign(request, one, 0)).toEqual(first)
})

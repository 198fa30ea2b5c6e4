// Callers of a function URL with AWS_IAM. Signatures are made by the signer that the doors use and
// checked by our own verifier.

import { Sha256 } from '@aws-crypto/sha256-js'
import { SignatureV4 } from '@smithy/signature-v4'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../adapters/crypto/system-clock.ts'
import { httpUpstream } from '../../adapters/upstream/http-upstream.ts'
import { signedUpstream } from '../../adapters/upstream/signed-upstream.ts'
import { roleOf, type TestRole, testRegion } from './credentials.ts'
import type { FunctionUrl } from './function-url.ts'
import { type Samples, seenIn, startSamples } from './samples/samples.ts'

let samples: Samples
beforeEach(async () => {
  samples = await startSamples()
})
afterEach(() => samples.stop())

describe('AWS_IAM', () => {
  const caller = roleOf('sse')
  const iamUrl = () =>
    samples.url(samples.start('buffered'), { authType: 'AWS_IAM', callers: [caller] })

  test('lets a signed call in and names its caller', async () => {
    const url = await iamUrl()
    const response = await signedFetch(url, caller, '{"a":1}')
    expect(url.refusals).toEqual([])
    const { event } = await seenIn(response)
    expect(event.requestContext).toMatchObject({
      accountId: '123456789012',
      authorizer: {
        iam: {
          accessKey: 'ASIATESTSSE',
          accountId: '123456789012',
          userArn: 'arn:aws:sts::123456789012:assumed-role/sse-role/sse',
        },
      },
    })
    expect(event['body']).toBe('{"a":1}')
    expect(event.headers['authorization']).toContain('AWS4-HMAC-SHA256')
  })

  test('lets in the call of a skill that the gateway signs as itself', async () => {
    const url = await iamUrl()
    const rules = { outboundAllow: [url.host], signedAccess: [] }
    const upstream = signedUpstream({
      http: httpUpstream(rules),
      clock: systemClock(),
      log: { note: () => {} },
      rules,
      own: () => ({ credentials: caller, stsEndpoint: undefined }),
    })
    const request = {
      method: 'POST',
      url: `${url.url}/v1/it's a(1)%2Ftest?b=2+3&a=y&a=x&empty`,
      headers: { 'content-type': 'application/json' },
      body: '{"a":"å"}',
      signing: { service: 'lambda', region: testRegion },
    } as const
    const signal = AbortSignal.timeout(100_000)
    const answer = await upstream.send(request, { responseBytesMax: 100_000, signal, uid: 'ada' })
    upstream.close()
    expect(url.refusals).toEqual([])
    expect(answer).toMatchObject({ kind: 'answered', response: { status: 201 } })
  })

  test('refuses every call that its caller did not sign', async () => {
    const url = await iamUrl()
    const early = Date.now() - 6 * 60_000
    const statuses = [
      (await fetch(url.url, { method: 'POST', body: '{}' })).status,
      (await signedFetch(url, roleOf('execute'), '{}')).status,
      (await signedFetch(url, { ...caller, secretAccessKey: 'guess' }, '{}')).status,
      (await signedFetch(url, { ...caller, sessionToken: 'old' }, '{}')).status,
      (await signedFetch(url, caller, '{}', { sendBody: '{"a":1}' })).status,
      (await signedFetch(url, caller, '{}', { sendPath: '/other' })).status,
      (await signedFetch(url, caller, '{}', { sendHeader: ['x-amz-extra', '1'] })).status,
      (await signedFetch(url, caller, '{}', { signedAtMs: early })).status,
    ]
    expect(statuses).toEqual([403, 403, 403, 403, 403, 403, 403, 403])
    expect(url.refusals).toEqual([
      'no AWS4-HMAC-SHA256 Authorization header',
      'ASIATESTEXECUTE may not call this URL',
      'the signature does not match',
      'session token',
      'x-amz-content-sha256 is not of this body',
      'the signature does not match',
      'unsigned headers: x-amz-extra',
      expect.stringMatching(/^x-amz-date /),
    ])
  })
})

type Tampering = {
  readonly sendBody?: string
  readonly sendPath?: string
  readonly sendHeader?: readonly [string, string]
  readonly signedAtMs?: number
}

async function signedFetch(url: FunctionUrl, role: TestRole, body: string, how: Tampering = {}) {
  const service = { service: 'lambda', region: testRegion, sha256: Sha256 }
  const signer = new SignatureV4({ ...service, credentials: role })
  const request = {
    method: 'POST',
    protocol: 'http:',
    hostname: '127.0.0.1',
    path: "/v1/it's%20a%2520test",
    query: { b: '2 3', a: ['y', 'x'] },
    headers: { host: url.host, 'content-type': 'application/json' },
    body,
  }
  const signed = await signer.sign(request, { signingDate: new Date(how.signedAtMs ?? Date.now()) })
  const headers = new Headers(signed.headers)
  if (how.sendHeader !== undefined) headers.set(...how.sendHeader)
  const target = `${how.sendPath ?? request.path}?b=2%203&a=y&a=x`
  return fetch(`${url.url}${target}`, { method: 'POST', headers, body: how.sendBody ?? body })
}

/** Signatures over the parts that differ between services: query, path, and headers that hops rewrite. */
import { expect, test } from 'vitest'
import { signRequest } from '../../../adapters/aws/sign-request.ts'

const NOW_MS = Date.UTC(2026, 10, 23, 4)
const AS = {
  service: 'logs',
  region: 'eu-central-1',
  credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'example' },
}

async function signature(change: {
  path?: string
  service?: string
  headers?: { readonly [name: string]: string }
}): Promise<string> {
  const { headers = {}, path = '/', service = AS.service } = change
  const request = { method: 'GET', url: new URL(path, 'https://host.example'), headers }
  const signed = await signRequest({ ...AS, service }, request, NOW_MS)
  return signed['authorization'] ?? ''
}

test('a query is signed, whatever the order of its names', async () => {
  const one = await signature({ path: '/?a=1&b=%2F' })
  expect(await signature({ path: '/?b=%2F&a=1' })).toBe(one)
  expect(await signature({ path: '/?a=1&b=2' })).not.toBe(one)
})

test('a path that is encoded already is signed as it is for S3, and encoded once more for others', async () => {
  const scope = (text: string) => text.slice(0, text.indexOf('SignedHeaders'))
  const s3 = await signature({ service: 's3', path: '/day%3D1' })
  expect(scope(s3)).toBe(
    'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261123/eu-central-1/s3/aws4_request, ',
  )
  expect(await signature({ path: '/day%3D1' })).not.toBe(await signature({ path: '/day=1' }))
})

test('a traceparent is not signed, and other headers are', async () => {
  const traced = await signature({ headers: { traceparent: '00-1-1-01', 'x-a': '1' } })
  expect(await signature({ headers: { traceparent: '00-2-2-01', 'x-a': '1' } })).toBe(traced)
  expect(await signature({ headers: { 'x-a': '2' } })).not.toBe(traced)
})

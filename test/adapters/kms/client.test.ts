import { createServer, type ServerResponse } from 'node:http'
import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  ATTEMPTS_MAX,
  CONNECTION_TIMEOUT_MS,
  makeKmsClient,
  REQUEST_TIMEOUT_MS,
} from '../../../adapters/kms/client.ts'
import { loadEncryptionSdk } from '../../../adapters/kms/encryption-sdk.ts'
import { makeKmsSecretSeals } from '../../../adapters/kms/kms-seals.ts'
import { closePort, openPort } from '../../../local/http/listen.ts'
import { KEY_ID } from './kms-double.ts'

const stops: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

/** Long enough that the client does not give up a service that answers late because the machine is busy. */
const ANSWERED_WITHIN_MS = 60_000

/** Seals over a key service that takes every request and does with it what the test says. */
async function serve(
  answer: (response: ServerResponse) => void,
  requestTimeoutMs = ANSWERED_WITHIN_MS,
) {
  let requests = 0
  const server = createServer((request, response) => {
    requests += 1
    request.resume().on('end', () => answer(response))
  })
  const port = await openPort(server, { host: '127.0.0.1', port: 0 })
  stops.push(() => closePort(server))
  vi.stubEnv('AWS_ENDPOINT_URL_KMS', `http://127.0.0.1:${port}`)
  const client = makeKmsClient(await loadEncryptionSdk(), { region: 'eu-west-1', requestTimeoutMs })
  client.config.credentials = async () => ({ accessKeyId: 'test', secretAccessKey: 'test' })
  stops.push(() => void vi.unstubAllEnvs())
  stops.push(() => client.destroy())
  const seals = makeKmsSecretSeals({ keyId: KEY_ID, client })
  const seal = () => seals.seal({ uid: 'u-1', skillId: '-', name: 'KEY', binding: '' }, 'a value')
  return { seal, requests: () => requests }
}

describe('the client', () => {
  test('gives up on a key service that never answers, after 3 tries', async () => {
    const { seal, requests } = await serve(() => {}, 250)
    expect(await seal()).toMatchObject({
      error: { why: 'unavailable', cause: { name: 'TimeoutError' } },
    })
    expect(requests()).toBe(3)
  })

  test('asks once where access is denied', async () => {
    const { seal, requests } = await serve((response) => {
      response.writeHead(400, { 'content-type': 'application/x-amz-json-1.1' })
      response.end('{"__type":"AccessDeniedException","Message":"not yours"}')
    })
    expect(await seal()).toMatchObject({
      error: { why: 'denied', cause: { name: 'AccessDeniedException' } },
    })
    expect(requests()).toBe(1)
  })

  test('sends a throttled request 3 times and then gives up', async () => {
    const { seal, requests } = await serve((response) => {
      response.writeHead(400, { 'content-type': 'application/x-amz-json-1.1' })
      response.end('{"__type":"ThrottlingException","Message":"slow down"}')
    })
    expect(await seal()).toMatchObject({ error: { why: 'unavailable' } })
    expect(requests()).toBe(3)
  })

  test("never waits as long as a call's guard", () => {
    expect([ATTEMPTS_MAX, CONNECTION_TIMEOUT_MS, REQUEST_TIMEOUT_MS]).toEqual([3, 1_000, 2_000])
    expect(ATTEMPTS_MAX * REQUEST_TIMEOUT_MS).toBeLessThan(15_000)
  })

  test('uses the region of its key', async () => {
    const sdk = await loadEncryptionSdk()
    const client = makeKmsClient(sdk, { region: 'ap-south-1' })
    expect(await client.config.region()).toBe('ap-south-1')
  })
})

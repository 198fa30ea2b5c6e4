import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { makeAdminSecrets } from '../../../adapters/secrets/admin-secrets.ts'
import {
  ATTEMPTS_MAX,
  CONNECTION_TIMEOUT_MS,
  makeSecretsClient,
  REQUEST_TIMEOUT_MS,
} from '../../../adapters/secrets/client.ts'
import { testClock } from '../../contracts/test-clock.ts'
import { type SecretsServer, startSecretsServer } from './secrets-server.ts'

let server: SecretsServer
beforeAll(async () => {
  server = await startSecretsServer()
  vi.stubEnv('AWS_ENDPOINT_URL_SECRETS_MANAGER', server.endpoint)
  vi.stubEnv('AWS_REGION', 'us-east-1')
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test')
})
afterEach(() => {
  server.asked.length = 0
  server.failWith = undefined
})
afterAll(() => server.stop())

/** Long enough that the client does not give up a service that answers late because the machine is busy. */
const ANSWERED_WITHIN_MS = 60_000

function read(requestTimeoutMs = ANSWERED_WITHIN_MS) {
  return makeAdminSecrets({
    client: makeSecretsClient({ requestTimeoutMs }),
    ids: { internalApiSecret: 'internal', adminKey: 'admin' },
    clock: testClock(),
    onStale: () => {},
  }).read()
}

test.each([
  // Long enough for this process to see each request before it is given up.
  ['never answers', 0, 'TimeoutError', 500],
  ['fails', 500, 'ResourceNotFoundException', ANSWERED_WITHIN_MS],
])('a service that %s is given up after 3 tries for each secret', async (_, status, name, ms) => {
  server.failWith = status
  const fault = await read(ms).catch((cause: unknown) => cause)
  expect(fault).toMatchObject({ code: 'store_unavailable', cause: { name } })
  // The other secret may still be retried when the first one has used up its tries.
  await expect.poll(() => server.asked.length).toBe(6)
  expect(server.asked.filter((one) => one === 'GetSecretValue internal')).toHaveLength(3)
})

test('both secrets are found at the endpoint that the environment names', async () => {
  server.set('internal', '{"current":"internal-0123456789"}')
  server.set('admin', '{"current":"admin-key-0123456789"}')
  expect((await read()).adminKeys).toEqual(['admin-key-0123456789'])
})

test('no caller waits as long as a REST API does', () => {
  expect([ATTEMPTS_MAX, CONNECTION_TIMEOUT_MS, REQUEST_TIMEOUT_MS]).toEqual([3, 1_000, 2_000])
})

/** The secret by which events are signed, from a Secrets Manager that answers over HTTP. */
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { makeSecretsClient } from '../../../adapters/secrets/client.ts'
import { makeEventSecretsReader } from '../../../adapters/secrets/event-secrets.ts'
import {
  SECRETS_FRESH_MS,
  SECRETS_PAUSE_MS,
  SECRETS_STALE_MS,
} from '../../../adapters/secrets/limits.ts'
import { testClock } from '../../contracts/test-clock.ts'
import { type SecretsServer, startSecretsServer } from './secrets-server.ts'

const ID = 'skillgate/events'
const NOW = 'events-secret-of-now'
const BEFORE = 'events-secret-before'
/** Long enough that the client does not give up a service that answers late because the machine is busy. */
const ANSWERED_WITHIN_MS = 60_000

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
afterAll(async () => {
  vi.unstubAllEnvs()
  await server.stop()
})

function open() {
  const clock = testClock()
  const stale: unknown[] = []
  const read = makeEventSecretsReader({
    client: makeSecretsClient({ requestTimeoutMs: ANSWERED_WITHIN_MS }),
    id: ID,
    clock,
    onStale: (cause) => stale.push(cause),
  })
  return { clock, read, stale }
}

const holds = (current: string, previous?: string) =>
  server.set(ID, JSON.stringify({ current, previous }))

test('the secret of events is one value, or two while it is rotated, the current one first', async () => {
  holds(NOW)
  expect(await open().read()).toEqual([NOW])
  holds(NOW, BEFORE)
  expect(await open().read()).toEqual([NOW, BEFORE])
  expect(server.asked).toEqual([`GetSecretValue ${ID}`, `GetSecretValue ${ID}`])
})

test('the secret of events is asked for once a minute, however many events are sent', async () => {
  holds(BEFORE)
  const { clock, read } = open()
  await Promise.all([read(), read(), read()])
  holds(NOW)
  clock.advance(SECRETS_FRESH_MS - 1)
  expect(await read()).toEqual([BEFORE])
  expect(server.asked).toHaveLength(1)
  clock.advance(1)
  expect(await read()).toEqual([NOW])
  expect(server.asked).toHaveLength(2)
})

test('the secret of events bridges an outage of five minutes, with a report and a pause, and then is a fault', async () => {
  holds(NOW)
  const { clock, read, stale } = open()
  await read()
  server.set(ID, undefined)
  clock.advance(SECRETS_FRESH_MS)
  expect(await read()).toEqual([NOW])
  expect(stale).toMatchObject([{ message: `secret ${ID}: could not be fetched` }])
  const asked = server.asked.length
  clock.advance(SECRETS_PAUSE_MS - 1)
  expect(await read()).toEqual([NOW])
  expect(server.asked).toHaveLength(asked)
  clock.advance(SECRETS_STALE_MS - SECRETS_FRESH_MS - SECRETS_PAUSE_MS + 1)
  await expect(read()).rejects.toMatchObject({ code: 'store_unavailable' })
})

test('a secret of events that is not there is a fault with its name and its cause', async () => {
  server.set(ID, undefined)
  await expect(open().read()).rejects.toMatchObject({
    code: 'store_unavailable',
    message: `secret ${ID}: could not be fetched`,
    cause: { name: 'ResourceNotFoundException' },
  })
})

test('a secret of events of another form is a fault that shows nothing of it', async () => {
  server.set(ID, '{"current":"short"}')
  const fault = await open()
    .read()
    .catch((cause: unknown) => cause)
  expect(fault).toMatchObject({
    code: 'store_unavailable',
    message: `secret ${ID}: current: is too short; give 16 characters or more`,
  })
})

/** The values of the edge, read from a Secrets Manager of the test. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeOriginSecretReader } from '../../../adapters/secrets/origin-secrets.ts'
import { testClock } from '../../contracts/test-clock.ts'
import { type SecretsServer, startSecretsServer } from './secrets-server.ts'

const ID = 'edge'
const FIRST = 'a'.repeat(43)
const SECOND = 'B'.repeat(43)

let server: SecretsServer
beforeEach(async () => {
  server = await startSecretsServer()
})
afterEach(() => server.stop())

function open() {
  const clock = testClock()
  const stale: unknown[] = []
  const read = makeOriginSecretReader(
    {
      secretId: ID,
      servesDirect: false,
      region: 'eu-central-1',
      credentials: { accessKeyId: 'a', secretAccessKey: 's', sessionToken: undefined },
      endpoint: new URL(server.endpoint),
    },
    { clock, onStale: (cause) => stale.push(cause) },
  )
  return { clock, read, stale }
}

describe('the values of the edge', () => {
  test('are one, and two while they are rotated', async () => {
    server.set(ID, `{"current":"${FIRST}"}`)
    expect(await open().read()).toEqual({ current: FIRST })
    server.set(ID, `{"current":"${SECOND}","previous":"${FIRST}"}`)
    expect(await open().read()).toEqual({ current: SECOND, previous: FIRST })
  })

  test('are read again after five minutes', async () => {
    const { clock, read } = open()
    server.set(ID, `{"current":"${FIRST}"}`)
    await read()
    server.set(ID, `{"current":"${SECOND}"}`)
    clock.advance(299_999)
    expect(await read()).toEqual({ current: FIRST })
    clock.advance(1)
    expect(await read()).toEqual({ current: SECOND })
    expect(server.asked).toEqual(['GetSecretValue edge', 'GetSecretValue edge'])
  })

  test('are read again after ten seconds for a caller who got another value', async () => {
    const { clock, read } = open()
    server.set(ID, `{"current":"${FIRST}"}`)
    await read()
    server.set(ID, `{"current":"${SECOND}"}`)
    clock.advance(9_999)
    expect(await read(10_000)).toEqual({ current: FIRST })
    clock.advance(1)
    expect(await read(10_000)).toEqual({ current: SECOND })
    expect(await read()).toEqual({ current: SECOND })
  })

  test('stay in use for a day of an outage, because agents depend on them', async () => {
    const { clock, read, stale } = open()
    server.set(ID, `{"current":"${FIRST}"}`)
    await read()
    server.failWith = 400
    clock.advance(86_399_999)
    expect(await read()).toEqual({ current: FIRST })
    expect(stale).toHaveLength(1)
    clock.advance(10_001)
    await expect(read()).rejects.toMatchObject({ code: 'store_unavailable' })
  })

  test.each([
    undefined,
    '',
    'p@ss',
    '{}',
    '{"current":7}',
    `{"current":"${FIRST.slice(1)}"}`,
    `{"current":"${FIRST}","previous":""}`,
    `{"current":"${FIRST}","previous":"p@ss"}`,
  ])('are not taken from %j, and no error repeats it', async (text) => {
    server.set(ID, text)
    const failed: unknown = await open()
      .read()
      .catch((cause) => cause)
    expect(failed).toMatchObject({ code: 'store_unavailable' })
    expect(String(failed)).not.toContain('p@ss')
  })
})

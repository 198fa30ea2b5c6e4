import { createServer, type ServerResponse } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { dynamoClient } from '../../../../adapters/dynamodb/client/client.ts'
import { makeStore } from '../../../../adapters/dynamodb/client/document-store.ts'
import {
  ATTEMPTS_MAX,
  CONNECTION_TIMEOUT_MS,
  REQUEST_TIMEOUT_MS,
} from '../../../../adapters/dynamodb/client/limits.ts'
import { closePort, openPort } from '../../../../local/http/listen.ts'
import { testClock } from '../../../contracts/test-clock.ts'
import { TABLES } from '../embedded-store.ts'
import { requestsAt, type StoreClientName } from '../store-clients.ts'

const stops: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
})

/** A store that accepts every request and treats it as the test says. */
async function serve(
  client: StoreClientName,
  answer: (response: ServerResponse) => void,
  requestTimeoutMs?: number,
) {
  let requests = 0
  const ports = new Set<number | undefined>()
  const server = createServer((request, response) => {
    requests += 1
    ports.add(request.socket.remotePort)
    request.resume().on('end', () => answer(response))
  })
  const port = await openPort(server, { host: '127.0.0.1', port: 0 })
  stops.push(() => closePort(server))
  const { close: end, requests: sender } = requestsAt(`http://127.0.0.1:${port}`, {
    client,
    ...(requestTimeoutMs === undefined ? {} : { requestTimeoutMs }),
  })
  stops.push(end)
  const store = makeStore(sender, { tables: TABLES, clock: testClock() })
  return { store, requests: () => requests, connections: () => ports.size }
}

const KEY = { pk: 'profile:u1', sk: '-' }

describe.each(['sdk', 'signed'] as const)('the client (%s)', (name) => {
  test('the client gives up on a store that never answers after 3 attempts', async () => {
    const { store, requests } = await serve(name, () => {}, 50)
    await expect(store.get('Gateway', KEY, 'consistent')).rejects.toMatchObject({
      code: 'store_unavailable',
      cause: { name: 'TimeoutError' },
    })
    expect(requests()).toBe(3)
  })

  test('the client sends a failing request 3 times and then gives up', async () => {
    const { store, requests } = await serve(name, (response) => {
      response.writeHead(500, { 'content-type': 'application/x-amz-json-1.0' })
      response.end('{"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError"}')
    })
    await expect(store.get('Gateway', KEY, 'consistent')).rejects.toMatchObject({
      code: 'store_unavailable',
      cause: { name: 'InternalServerError' },
    })
    expect(requests()).toBe(3)
  })

  test('the client keeps its connection for the next request', async () => {
    const { store, requests, connections } = await serve(name, (response) => {
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' })
      response.end('{}')
    })
    for (let n = 0; n < 3; n += 1) await store.get('Gateway', KEY, 'consistent')
    expect([requests(), connections()]).toEqual([3, 1])
  })
})

describe('every client', () => {
  test("gives up before the end of a call's guard", () => {
    expect([ATTEMPTS_MAX, CONNECTION_TIMEOUT_MS, REQUEST_TIMEOUT_MS]).toEqual([3, 1_000, 2_000])
    expect(ATTEMPTS_MAX * REQUEST_TIMEOUT_MS).toBeLessThan(15_000)
  })

  test('the client of the SDK sends no real credentials to a store on this machine', async () => {
    const client = dynamoClient({ endpoint: 'http://127.0.0.1:1', region: 'eu-west-1' })
    expect((await client.config.credentials()).accessKeyId).toBe('local')
    expect(await client.config.region()).toBe('eu-west-1')
  })
})

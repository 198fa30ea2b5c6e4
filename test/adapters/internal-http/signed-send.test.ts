import { afterEach, describe, expect, test } from 'vitest'
import {
  makeSignedSend,
  PEER_ANSWER_BYTES_MAX,
} from '../../../adapters/internal-http/signed-send.ts'
import { Fault } from '../../../core/errors.ts'
import { verifySigV4 } from '../../lambda/sigv4.ts'
import { type InternalServer, internalServer, NOW_MS, optionsFor, ROLE } from './peer-server.ts'

let server: InternalServer | undefined
afterEach(() => server?.close())

const REQUEST = {
  path: '/v1/execute',
  headers: { 'content-type': 'application/json', 'x-skillgate-call-id': 'c-1' },
  body: Buffer.from('{"a":"é"}'),
}
/** Ends a request that hangs. */
const PATIENCE = { timeoutMs: 100_000 }

test('a request is signed as function URLs with AWS_IAM require', async () => {
  server = await internalServer((response) => response.writeHead(202).end('fine'))
  const answer = await makeSignedSend(optionsFor(server))(REQUEST, PATIENCE)
  expect(answer).toMatchObject({ status: 202, body: Buffer.from('fine') })
  const [received] = server.requests
  if (received === undefined) throw new Error('nothing arrived')
  expect(verifySigV4(received, [ROLE], NOW_MS)).toEqual({ role: ROLE })
  expect(received).toMatchObject({ method: 'POST', target: '/v1/execute', body: REQUEST.body })
  expect(received.headers).toMatchObject(REQUEST.headers)
  expect(received.headers['authorization']).toContain('x-skillgate-call-id')
})

test('a changed body no longer fits its signature', async () => {
  server = await internalServer((response) => response.end())
  await makeSignedSend(optionsFor(server))(REQUEST, PATIENCE)
  const [received] = server.requests
  if (received === undefined) throw new Error('nothing arrived')
  const changed = { ...received, body: Buffer.from('{"a":"e"}') }
  expect(verifySigV4(changed, [ROLE], NOW_MS)).toMatchObject({ refusal: expect.any(String) })
})

test('a traceparent is sent unsigned, so that a hop may rewrite it', async () => {
  server = await internalServer((response) => response.end())
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const headers = { ...REQUEST.headers, traceparent }
  await makeSignedSend(optionsFor(server))({ ...REQUEST, headers }, PATIENCE)
  const [received] = server.requests
  if (received === undefined) throw new Error('nothing arrived')
  expect(received.headers['traceparent']).toBe(traceparent)
  const rewritten = { ...received.headers, traceparent: traceparent.replace('b7ad', '0000') }
  expect(verifySigV4({ ...received, headers: rewritten }, [ROLE], NOW_MS)).toEqual({ role: ROLE })
})

test.each(['http://host/base', 'http://host/base/'])(
  "the path of %s stays in front of the request's path",
  async (url) => {
    server = await internalServer((response) => response.end())
    const options = optionsFor(server)
    const target = new URL(new URL(url).pathname, options.url)
    await makeSignedSend({ ...options, url: target })(REQUEST, PATIENCE)
    expect(server.requests[0]?.target).toBe('/base/v1/execute')
  },
)

describe('connections', () => {
  test('are kept, and dropped after 4 idle seconds by the wall clock', async () => {
    let nowMs = NOW_MS
    server = await internalServer((response) => response.end())
    const send = makeSignedSend(optionsFor(server, { nowMs: () => nowMs }))
    for (const afterMs of [0, 4_000, 4_001]) {
      nowMs += afterMs
      await send(REQUEST, PATIENCE)
      await new Promise(setImmediate)
    }
    const [first, second, third] = server.requests.map(({ remotePort }) => remotePort)
    expect(second).toBe(first)
    expect(third).not.toBe(second)
  })
})

describe('a request without a whole answer', () => {
  test('a request is a fault when no answer comes in time', async () => {
    server = await internalServer(() => undefined)
    const sent = makeSignedSend(optionsFor(server))(REQUEST, { timeoutMs: 20 })
    await expect(sent).rejects.toThrow(
      new Fault('internal', 'no answer from the peer function to /v1/execute'),
    )
  })

  test('a request is a fault when its caller stops waiting', async () => {
    const leave = new AbortController()
    server = await internalServer(() => leave.abort())
    const sent = makeSignedSend(optionsFor(server))(REQUEST, { ...PATIENCE, signal: leave.signal })
    await expect(sent).rejects.toThrow(Fault)
  })

  test('a request is a fault when its answer breaks off', async () => {
    server = await internalServer((response) => {
      response.writeHead(200, { 'content-length': '10' }).write('half')
      setImmediate(() => response.destroy())
    })
    await expect(makeSignedSend(optionsFor(server))(REQUEST, PATIENCE)).rejects.toThrow(Fault)
  })

  test('a request is a fault when no server listens', async () => {
    server = await internalServer((response) => response.end())
    await server.close()
    await expect(makeSignedSend(optionsFor(server))(REQUEST, PATIENCE)).rejects.toThrow(Fault)
  })

  test('a request is a fault when its answer is over 16 MiB, and not at 16 MiB', async () => {
    server = await internalServer((response, request) =>
      response.end(Buffer.alloc(Number(request.body))),
    )
    const send = makeSignedSend(optionsFor(server))
    const ask = (bytes: number) => send({ ...REQUEST, body: Buffer.from(`${bytes}`) }, PATIENCE)
    expect(PEER_ANSWER_BYTES_MAX).toBe(16_777_216)
    expect((await ask(16_777_216)).body).toHaveLength(16_777_216)
    await expect(ask(16_777_217)).rejects.toThrow(Fault)
  })

  test('is never sent twice', async () => {
    let requests = 0
    server = await internalServer((response) => {
      requests += 1
      if (requests === 1) response.end()
      else response.destroy()
    })
    const send = makeSignedSend(optionsFor(server))
    await send(REQUEST, PATIENCE)
    await new Promise(setImmediate)
    await expect(send(REQUEST, PATIENCE)).rejects.toThrow(Fault)
    expect(requests).toBe(2)
  })
})

/**
 * The stream of each message, and the answers to POSTs other than requests, over the real
 * functions.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import { openStream } from '../core/flow/client.ts'
import { eventsOf, legacy, modern, opened, post, withKey } from '../lambdas/mcp/agent.ts'
import { ASKS, LEGACY_VERSIONS, type Ready, ready, VERSIONS } from './door.ts'

let at: Ready

beforeEach(async () => {
  at = await ready()
})

const call = { name: 'sg_sunny', arguments: {} }
const asking = { name: 'sg_asks', arguments: {} }

describe('two calls at once', () => {
  // Holds: STR-6, STR-14, LOG-2
  test.each(VERSIONS.slice(1))(
    'each get only their own messages on their own stream, in %s',
    async (version) => {
      at.world.upstream.always({ kind: 'answer', afterMs: 1_500 })
      const meta = (progressToken: string) => ({
        progressToken,
        'io.modelcontextprotocol/logLevel': 'debug',
      })
      const sent = ['a', 'b'].map((id) =>
        version === '2026-07-28'
          ? modern('tools/call', call, { id, meta: meta(`token-${id}`) })
          : legacy('tools/call', { ...call, _meta: meta(`token-${id}`) }, { id, version }),
      )
      const streams = sent.map((one) => opened(at.door, withKey(at.ada, one)))
      await at.world.clock.advance(1_500)
      await Promise.all(streams.map(({ done }) => done))
      const logged = version === '2026-07-28' ? 1 : 0
      for (const [index, { out }] of streams.entries()) {
        const id = 'ab'.charAt(index)
        const events = eventsOf(out)
        expect(events.filter(({ method }) => method === 'notifications/message')).toHaveLength(
          2 * logged,
        )
        const tokens = events.flatMap(({ method, params }) =>
          method === 'notifications/progress'
            ? [JSON.parse(JSON.stringify(params)).progressToken]
            : [],
        )
        expect(tokens).toEqual([`token-${id}`, `token-${id}`])
        expect(events.at(-1)).toMatchObject({ id, result: { isError: false } })
      }
    },
  )
})

describe('a notification', () => {
  // Holds: STR-4, STR-12
  test.each(['1999-01-01', 'x', '2025-06-18, 2025-06-18'])(
    'under the version %s is 400 with an error for nobody',
    async (version) => {
      const headers = { 'mcp-protocol-version': version }
      const body = { jsonrpc: '2.0', method: 'notifications/initialized' }
      const out = await post(at.door, { headers, body })
      expect(out.status).toBe(400)
      expect(out.json()).toMatchObject({ id: null, error: { code: -32022 } })
    },
  )

  // Holds: STR-3, RPC-6
  test.each(VERSIONS)('of %s is 202 without a body', async (version) => {
    for (const method of ['notifications/initialized', 'notifications/no/such', 'tools/call']) {
      const headers = { 'mcp-protocol-version': version, accept: 'text/event-stream' }
      const body = { jsonrpc: '2.0', method, params: call }
      const out = await post(at.door, withKey(at.ada, { headers, body }))
      expect([out.status, out.text]).toEqual([202, ''])
    }
    expect(at.world.upstream.requests).toEqual([])
  })
})

describe('the header of the version', () => {
  // Holds: STR-12, LIFE-1
  test('is ignored on initialize, and elsewhere must name a served revision', async () => {
    const params = { protocolVersion: '2025-06-18', capabilities: {} }
    for (const version of ['1999-01-01', 'nonsense', '2025-11-25']) {
      const out = await post(at.door, legacy('initialize', params, { version }))
      expect(out.status).toBe(200)
      expect(out.json()).toMatchObject({ result: { protocolVersion: '2025-06-18' } })
    }
    const out = await post(at.door, legacy('tools/list', {}, { version: '1999-01-01' }))
    expect([out.status, out.json()['id']]).toEqual([400, 1])
  })
})

describe('a cancellation', () => {
  // Holds: CANCEL-1
  test.each(LEGACY_VERSIONS)('a late cancellation changes nothing, in %s', async (version) => {
    const out = await at.ask(version, 'tools/call', call, { id: 'c' })
    expect(out.json()).toMatchObject({ result: { isError: false } })
    const headers = { 'mcp-protocol-version': version }
    const params = { requestId: 'c', reason: 'too late' }
    const body = { jsonrpc: '2.0', method: 'notifications/cancelled', params }
    expect((await post(at.door, withKey(at.ada, { headers, body }))).status).toBe(202)
    await at.world.clock.advance(2_000)
    expect(await at.world.credits('ada')).toEqual({ free: 99, held: 0 })
  })
})

describe('a client that is asked', () => {
  // Holds: LIFE-9, ASK-3
  test.each(['2025-06-18', '2025-11-25'])(
    'a silent client is told that its answer is awaited no more, in %s',
    async (version) => {
      at.world.upstream.always({ kind: 'answer', body: ASKS })
      const { done, out } = opened(
        at.door,
        withKey(at.ada, legacy('tools/call', asking, { version })),
      )
      await at.world.clock.advance(121_000)
      await done
      const [question, cancelled, answer] = eventsOf(out)
      expect(question).toMatchObject({ method: 'elicitation/create' })
      expect(cancelled).toEqual({
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId: question?.['id'], reason: 'timeout' },
      })
      expect(answer).toMatchObject({ id: 1, result: { isError: true } })
      expect(await at.world.credits('ada')).toEqual({ free: 100, held: 0 })
    },
  )

  // Holds: LIFE-5
  test('gets no request but ping on HTTP with SSE', async () => {
    at.world.upstream.always({ kind: 'answer', body: ASKS })
    const stream = await openStream(at.world, at.ada)
    await stream.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: asking })
    await at.world.clock.advance(125_000)
    expect(stream.withId(1)).toMatchObject([{ result: { isError: true } }])
    const requests = stream.messages().filter((one) => 'id' in one && 'method' in one)
    expect(requests.map(({ method }) => method)).toEqual(['ping', 'ping'])
    stream.close()
    await at.world.clock.settle()
  })

  // Holds: LIFE-5
  test.each(LEGACY_VERSIONS.slice(1))(
    'a client of %s gets no request outside a call',
    async (version) => {
      const headers = { accept: 'text/event-stream' }
      for (const [method, params] of [
        ['initialize', { protocolVersion: version, capabilities: { elicitation: {} } }],
        ['ping', {}],
        ['tools/list', {}],
        ['tools/call', call],
      ] as const) {
        const out = await at.ask(version, method, params, { headers })
        expect(eventsOf(out).map((one) => Object.keys(one))).toEqual([['jsonrpc', 'id', 'result']])
      }
    },
  )
})

// Holds: SSE-4, STR-14
test('a stream of HTTP with SSE gets no messages of another stream of the same key', async () => {
  const [first, second] = [await openStream(at.world, at.ada), await openStream(at.world, at.ada)]
  await first.post({ jsonrpc: '2.0', id: 'mine', method: 'ping' })
  await at.world.clock.advance(1_000)
  expect(first.withId('mine')).toEqual([{ jsonrpc: '2.0', id: 'mine', result: {} }])
  expect(second.withId('mine')).toEqual([])
  for (const stream of [first, second]) stream.close()
  await at.world.clock.settle()
})

/**
 * Rules of 2026-07-28 alone, over the real functions: each request alone, results, lists, streams.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import { ok } from '../../core/errors.ts'
import { replaceList } from '../../core/flow/registry/change-tool-list.ts'
import type { JsonObject } from '../../core/json/json.ts'
import { PLAIN } from '../core/mcp/tools.ts'
import { eventsOf, modern, opened, post, withKey } from '../lambdas/mcp/agent.ts'
import { ASKS, CAN_BE_ASKED, memberOf, type Ready, ready, toolsOf } from './door.ts'

const NOW = '2026-07-28'
const SERVER = { 'io.modelcontextprotocol/serverInfo': { name: 'skillgate', version: '1.2.3' } }
const call = { name: 'sg_sunny', arguments: {} }
const asking = { name: 'sg_asks', arguments: {} }

let at: Ready

beforeEach(async () => {
  at = await ready()
})

describe('a request', () => {
  // Holds: META-1, INPUT-3
  test('that declares capabilities does not declare them for the next one', async () => {
    at.world.upstream.always({ kind: 'answer', body: ASKS })
    const able = await at.ask(NOW, 'tools/call', asking, { meta: CAN_BE_ASKED })
    expect(able.json()).toMatchObject({ result: { resultType: 'input_required' } })
    const next = await at.ask(NOW, 'tools/call', asking)
    expect([next.status, memberOf(next.json(), 'error')['code']]).toEqual([400, -32021])
  })

  // Holds: META-2
  test('is answered alike for every client name', async () => {
    const clientInfos = [
      { name: 'admin', version: '9' },
      { name: 'claude', version: '1', title: 'x' },
      { name: '', version: '' },
    ]
    const texts = await Promise.all(
      clientInfos.map(async (client) => {
        const meta = { 'io.modelcontextprotocol/clientInfo': client }
        return (await at.ask(NOW, 'tools/list', {}, { meta })).text
      }),
    )
    expect(texts[0]).toContain('"sg_sunny"')
    expect(new Set(texts).size).toBe(1)
  })

  // Holds: DISC-2
  test('of a version that is not served is 400 with the list of served ones', async () => {
    const meta = { 'io.modelcontextprotocol/protocolVersion': '2099-01-01' }
    const headers = { 'mcp-protocol-version': '2099-01-01' }
    const out = await at.ask(NOW, 'tools/list', {}, { meta, headers })
    expect(out.status).toBe(400)
    expect(out.json()).toMatchObject({
      id: 1,
      error: { code: -32022, data: { supported: ['2026-07-28'], requested: '2099-01-01' } },
    })
  })

  // Holds: STR-21
  test('may carry a session id and a last event id, which have no effect', async () => {
    const headers = { 'mcp-session-id': 'stale', 'last-event-id': '7' }
    const out = await at.ask(NOW, 'tools/list', {}, { headers })
    expect(out.status).toBe(200)
    expect(Object.keys(out.headers)).not.toContain('mcp-session-id')
    expect(out.text).toBe((await at.ask(NOW, 'tools/list')).text)
  })

  // Holds: CANCEL-6
  test('is not stopped by a posted cancellation, which is 202', async () => {
    at.world.upstream.always({ kind: 'answer', afterMs: 1_000 })
    const sent = modern('tools/call', call, { id: 'c' })
    const { done, out } = opened(at.door, withKey(at.ada, sent))
    await at.world.clock.settle()
    const { headers = {} } = modern('notifications/cancelled')
    const body = {
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 'c', _meta: memberMeta(sent.body) },
    }
    const cancelled = await post(at.door, withKey(at.ada, { headers, body }))
    expect([cancelled.status, cancelled.text]).toEqual([202, ''])
    await at.world.clock.advance(1_000)
    await done
    expect(out.json()).toMatchObject({ id: 'c', result: { isError: false } })
  })
})

function memberMeta(body: unknown): JsonObject {
  return JSON.parse(JSON.stringify(body)).params._meta
}

describe('a result', () => {
  // Holds: META-4, META-6, INPUT-7
  test('names its kind and the server, and only a call may ask a question', async () => {
    const one = async (method: string, params: JsonObject) => {
      const out = await at.ask(NOW, method, params, { meta: CAN_BE_ASKED })
      const { _meta, resultType } = memberOf(out.json(), 'result')
      return [resultType, _meta]
    }
    at.world.upstream.next({ kind: 'answer' })
    at.world.upstream.always({ kind: 'answer', body: ASKS })
    expect(await one('server/discover', {})).toEqual(['complete', SERVER])
    expect(await one('tools/list', {})).toEqual(['complete', SERVER])
    expect(await one('tools/call', call)).toEqual(['complete', expect.objectContaining(SERVER)])
    expect(await one('tools/call', asking)).toEqual([
      'input_required',
      expect.objectContaining(SERVER),
    ])
    expect(await one('tools/list', {})).toEqual(['complete', SERVER])
  })

  // Holds: CACHE-1, LOG-3
  test('of discover may be cached for an hour by everybody, and declares log messages', async () => {
    const result = memberOf((await at.ask(NOW, 'server/discover')).json(), 'result')
    expect(result).toMatchObject({
      ttlMs: 3_600_000,
      cacheScope: 'public',
      capabilities: {
        tools: { listChanged: true },
        logging: {},
        extensions: {
          'skillgate/idempotency': { keepSec: 86_400 },
          'io.modelcontextprotocol/tasks': {},
        },
      },
    })
  })

  // Holds: CACHE-1, CACHE-3, LIST-9
  test('of a list is private for a minute, on every page', async () => {
    const numbered = Array.from({ length: 1_001 }, (_, n) => ({ ...PLAIN, name: `sg_t${n}` }))
    await replaceList(at.world.ports, async () => ok(numbered))
    const kept: unknown[] = []
    const names = new Set<unknown>()
    let cursor: string | undefined
    for (let page = 0; page < 3; page += 1) {
      const out = await at.ask(NOW, 'tools/list', cursor === undefined ? {} : { cursor })
      const { cacheScope, nextCursor, ttlMs } = memberOf(out.json(), 'result')
      kept.push([ttlMs, cacheScope])
      for (const { name } of toolsOf(out)) names.add(name)
      cursor = typeof nextCursor === 'string' ? nextCursor : undefined
    }
    expect(kept).toEqual(Array(3).fill([60_000, 'private']))
    expect(cursor).toBeUndefined()
    expect(numbered.filter(({ name }) => !names.has(name))).toEqual([])
  })

  // Holds: CACHE-4
  test('of a call has no cache time', async () => {
    const result = memberOf((await at.ask(NOW, 'tools/call', call)).json(), 'result')
    expect(Object.keys(result)).toEqual(expect.not.arrayContaining(['ttlMs', 'cacheScope']))
  })
})

describe('a stream', () => {
  // Holds: LOG-1, STR-7, STR-19, STR-21
  test('of a call that names no log level has progress alone, no event ids, and ends with the response', async () => {
    at.world.upstream.always({ kind: 'answer', afterMs: 1_500 })
    const sent = modern('tools/call', call, { meta: { progressToken: 'p' } })
    const { done, out } = opened(at.door, withKey(at.ada, sent))
    await at.world.clock.advance(1_500)
    await done
    expect(out.headers['x-accel-buffering']).toBe('no')
    expect(out.text).not.toMatch(/^id:/m)
    const methods = eventsOf(out).map(({ method }) => method)
    expect(methods).toEqual(['notifications/progress', 'notifications/progress', undefined])
    expect(eventsOf(out).at(-1)).toMatchObject({ id: 1, result: { resultType: 'complete' } })
    expect(out.writableFinished).toBe(true)
  })

  // Holds: STR-19, SUB-3
  test('of listen has the same rules, and gets no news of calls', async () => {
    at.world.upstream.always({ kind: 'answer', afterMs: 1_500 })
    // A change of the last minute may be told again.
    await at.world.clock.advance(61_000)
    const listen = modern('subscriptions/listen', { notifications: { toolsListChanged: true } })
    const { out } = opened(at.door, withKey(at.ada, listen))
    await at.world.clock.settle()
    const meta = { progressToken: 'p', 'io.modelcontextprotocol/logLevel': 'debug' }
    const called = opened(at.door, withKey(at.ada, modern('tools/call', call, { meta })))
    await at.world.clock.advance(2_000)
    await called.done
    expect(eventsOf(called.out).length).toBeGreaterThan(2)
    expect(out.headers['x-accel-buffering']).toBe('no')
    expect(eventsOf(out).map(({ method }) => method)).toEqual([
      'notifications/subscriptions/acknowledged',
    ])
    out.destroy()
    await at.world.clock.settle()
  })
})

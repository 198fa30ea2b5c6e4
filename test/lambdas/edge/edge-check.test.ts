/** Requests that did not come through the edge reach no door. */
import { describe, expect, test } from 'vitest'
import { answerJson } from '../../../adapters/http/answer.ts'
import type { FunctionUrlEvent, StreamingHandler } from '../../../adapters/http/events.ts'
import type { OriginSecret } from '../../../core/access/origin-secret.ts'
import { Fault } from '../../../core/errors.ts'
import { createAdminDoor } from '../../../lambdas/admin/door.ts'
import { putBehindEdge } from '../../../lambdas/edge/behind-edge.ts'
import { makeEdgeCheck } from '../../../lambdas/edge/edge-check.ts'
import { recordingLog } from '../../core/flow/doubles.ts'
import { manualClock } from '../../core/flow/manual-clock.ts'
import { makeWorld } from '../../core/flow/world.ts'
import { ADMIN_KEY, askDoor } from '../admin/admin-client.ts'
import { ask } from '../door-client.ts'

const CURRENT = 'C'.repeat(43)
const PREVIOUS = 'P'.repeat(43)
const FORBIDDEN = {
  type: 'about:blank',
  title: 'Not allowed',
  status: 403,
  detail: 'Forbidden.',
  code: 'forbidden',
}

function open(options: { readonly secret?: OriginSecret; readonly servesDirect?: boolean } = {}) {
  const { secret = { current: CURRENT }, servesDirect = false } = options
  const log = recordingLog()
  const clock = manualClock()
  const state: { secret: OriginSecret | undefined } = { secret }
  const check = makeEdgeCheck(
    async () => {
      if (state.secret === undefined) throw new Fault('store_unavailable', 'no secret')
      return state.secret
    },
    { clock, log, servesDirect },
  )
  const seen: FunctionUrlEvent[] = []
  const inner: StreamingHandler = (event, out) => {
    seen.push(event)
    return answerJson(out, 200, { ok: true })
  }
  return { check, clock, door: putBehindEdge(inner, check, log), log, seen, state }
}

const sentBy = (value: string) => ({ headers: { 'x-origin-secret': value } })

describe('a door behind an edge', () => {
  test('answers a request with the current value, and one with the previous value while there is one', async () => {
    const { door, state } = open({ secret: { current: CURRENT, previous: PREVIOUS } })
    expect((await ask(door, 'POST', '/mcp', sentBy(CURRENT))).status).toBe(200)
    expect((await ask(door, 'POST', '/mcp', sentBy(PREVIOUS))).status).toBe(200)
    state.secret = { current: CURRENT }
    expect((await ask(door, 'POST', '/mcp', sentBy(PREVIOUS))).status).toBe(403)
  })

  test.each([
    ['none', {}],
    ['another', sentBy('X'.repeat(43))],
    ['an empty one', sentBy('')],
    ['a part of it', sentBy(CURRENT.slice(1))],
    ['two joined by a comma', sentBy(`${CURRENT},${CURRENT}`)],
  ])(
    'refuses a request with %s by 403 without a hint, and the door sees nothing of it',
    async (_, sent) => {
      const { door, log, seen } = open()
      const answer = await ask(door, 'OPTIONS', '/mcp', { ...sent, address: '192.0.2.7' })
      expect([answer.status, answer.json()]).toEqual([403, FORBIDDEN])
      expect(answer.headers).toEqual({
        'cache-control': 'no-store',
        'content-type': 'application/problem+json',
        'x-content-type-options': 'nosniff',
      })
      expect(seen).toEqual([])
      expect(log.notes.map(({ event, fields, level }) => [level, event, fields])).toEqual([
        ['warn', 'edge-bypassed', { address: '192.0.2.7', count: 1, added: 1 }],
      ])
      expect(JSON.stringify(log.notes)).not.toContain('XXXX')
    },
  )

  test('takes a new value that it has not read yet, since it reads them again', async () => {
    const clock = manualClock()
    const values = [PREVIOUS, CURRENT]
    const asked: (number | undefined)[] = []
    const check = makeEdgeCheck(
      async (ageMsMax) => {
        asked.push(ageMsMax)
        return { current: values.shift() ?? CURRENT }
      },
      { clock, log: recordingLog(), servesDirect: false },
    )
    const sent = { headers: { 'x-origin-secret': CURRENT }, address: '192.0.2.7' }
    expect(await check(sent)).toMatchObject({ ok: true })
    expect(asked).toEqual([undefined, 10_000])
  })

  test('logs a flood in a few lines, and its rest with the next request that comes through', async () => {
    const { clock, door, log } = open()
    for (let n = 0; n < 100; n += 1) await ask(door, 'GET', '/', { address: '192.0.2.7' })
    await clock.advance(60_000)
    await ask(door, 'POST', '/mcp', sentBy(CURRENT))
    expect(log.notes.map(({ fields }) => fields?.['added'])).toEqual([1, 1, 2, 4, 8, 16, 32, 36])
  })

  test('sees the address of the client in place of the edge, and neither header', async () => {
    const { door, seen } = open()
    const headers = { 'x-origin-secret': CURRENT, 'x-viewer-address': '198.51.100.4', accept: 'a' }
    await ask(door, 'POST', '/mcp', { headers, address: '192.0.2.7' })
    expect(seen[0]?.requestContext.http.sourceIp).toBe('198.51.100.4')
    expect(Object.keys(seen[0]?.headers ?? {}).sort()).toEqual(['accept', 'content-type', 'host'])
  })

  test('answers requests of the internal URL, whose signature AWS has checked, without a value', async () => {
    const { door } = open()
    expect((await ask(door, 'POST', '/v1/execute', { iam: true })).status).toBe(200)
  })

  test('answers 503 while the accepted values are unknown', async () => {
    const { door, log, state } = open()
    state.secret = undefined
    const answer = await ask(door, 'POST', '/mcp', sentBy(CURRENT))
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '1'])
    expect(log.notes.map(({ event }) => event)).toEqual(['door-failed'])
  })
})

describe('a door that still serves direct requests', () => {
  test('answers one without a value, and does not believe the address that it names', async () => {
    const { door, seen } = open({ servesDirect: true })
    const headers = { 'x-viewer-address': '198.51.100.4' }
    const answer = await ask(door, 'POST', '/mcp', { headers, address: '192.0.2.7' })
    expect(answer.status).toBe(200)
    expect(seen[0]?.requestContext.http.sourceIp).toBe('192.0.2.7')
  })

  test('answers one while the secret is gone, as after an edge was taken away', async () => {
    const { door, state } = open({ servesDirect: true })
    state.secret = undefined
    expect((await ask(door, 'POST', '/mcp')).status).toBe(200)
    expect((await ask(door, 'POST', '/mcp', sentBy(CURRENT))).status).toBe(503)
  })

  test('refuses one with a wrong value', async () => {
    const { door } = open({ servesDirect: true })
    expect((await ask(door, 'POST', '/mcp', sentBy('X'.repeat(43)))).status).toBe(403)
  })
})

describe('the admin API behind an edge', () => {
  const openAdmin = () => {
    const world = makeWorld()
    return createAdminDoor(world.ports, world.settings, { edge: open().check })
  }

  test('answers an administrator who came through it', async () => {
    const headers = { ...ADMIN_KEY, 'x-origin-secret': CURRENT }
    expect((await askDoor(openAdmin(), 'GET', '/skills', { headers })).status).toBe(200)
  })

  test('refuses an administrator who did not, before the key is looked at', async () => {
    const answer = await askDoor(openAdmin(), 'GET', '/skills', { headers: ADMIN_KEY })
    expect([answer.status, answer.json]).toEqual([403, FORBIDDEN])
  })

  test('serves the console to a browser that came through it, and to no other', async () => {
    const world = makeWorld()
    const readConsole = () => Promise.resolve('<!doctype html>')
    const door = createAdminDoor(world.ports, world.settings, { edge: open().check, readConsole })
    const ask = (headers: { readonly [name: string]: string }) =>
      door(
        {
          httpMethod: 'GET',
          path: '/console/',
          headers,
          requestContext: { requestId: 'r', stage: 'v1' },
          body: null,
          isBase64Encoded: false,
        },
        { awsRequestId: 'a', getRemainingTimeInMillis: () => 30_000 },
      )
    expect(await ask(sentBy(CURRENT).headers)).toMatchObject({
      statusCode: 200,
      body: '<!doctype html>',
    })
    expect(await ask({})).toMatchObject({ statusCode: 403 })
  })

  test('counts wrong keys by the address of the client', async () => {
    const world = makeWorld()
    const door = createAdminDoor(world.ports, world.settings, { edge: open().check })
    const headers = {
      'x-admin-key': 'a-wrong-admin-key',
      'x-origin-secret': CURRENT,
      'x-viewer-address': '198.51.100.4',
    }
    await askDoor(door, 'GET', '/skills', { headers, sourceIp: '192.0.2.7' })
    const [refused] = world.log.notes.filter(({ event }) => event === 'admin-refused')
    expect(refused?.fields?.['address']).toBe('198.51.100.4')
  })
})

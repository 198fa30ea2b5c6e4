/** GET calls and calls/{callId}, over calls that really ran. */
import { describe, expect, test } from 'vitest'
import { makeCallId } from '../../../core/call/call-id.ts'
import type { JsonObject } from '../../../core/json/json.ts'
import { isJsonObject } from '../../../core/json/json.ts'
import { toUtcSecond } from '../../../core/json/utc-time.ts'
import { CALLS_PAGE_MAX, CALLS_SPAN_MS_MAX } from '../../../core/usage/limits.ts'
import { run } from '../../core/flow/caller.ts'
import { makeWorld, SETTINGS, type World } from '../../core/flow/world.ts'
import { type AdminReply, askAdmin } from './admin-client.ts'

const DAY_MS = 86_400_000

async function worldWithCalls(): Promise<{ world: World; ada: string }> {
  const world = makeWorld()
  const ada = await world.user('ada')
  await world.skill('sg_weather')
  await world.skill('sg_stocks')
  return { world, ada }
}

async function calls(world: World, query: string): Promise<readonly JsonObject[]> {
  const reply = await askAdmin(world, 'GET', '/calls', { query })
  expect([reply.status, reply.text]).toEqual([200, reply.text])
  return listed(reply)
}

function listed({ json }: AdminReply): readonly JsonObject[] {
  const list = json['calls']
  return Array.isArray(list) ? list.filter(isJsonObject) : []
}

describe('GET calls', () => {
  test('tells a user’s calls by skill, outcome, time and duration, newest first', async () => {
    const { ada, world } = await worldWithCalls()
    await run(world, ada, 'sg_weather')
    await world.clock.advance(1_000)
    const betweenMs = world.clock.nowMs()
    await world.clock.advance(1_000)
    world.upstream.next({ kind: 'answer', status: 500, body: 'broken', afterMs: 700 })
    await run(world, ada, 'sg_stocks')
    const all = await calls(world, 'user=ada')
    expect(all).toMatchObject([
      {
        skillId: 'sg_stocks',
        outcome: 'refunded',
        reason: 'upstream_failed',
        charged: 0,
        upstreamStatus: 500,
        door: 'rest',
      },
      { skillId: 'sg_weather', outcome: 'settled', upstreamStatus: 200 },
    ])
    const [stocks, weather] = all.map(({ callId }) => callId)
    const idsOf = async (query: string) =>
      (await calls(world, `user=ada&${query}`)).map(({ callId }) => callId)
    expect(await idsOf('skill=sg_weather')).toEqual([weather])
    expect(await idsOf('outcome=settled')).toEqual([weather])
    expect(await idsOf('outcome=upstream_failed')).toEqual([stocks])
    expect(await idsOf('outcome=timed_out')).toEqual([])
    expect(await idsOf('min_ms=700')).toEqual([stocks])
    expect(await idsOf('min_ms=100000')).toEqual([])
    expect(await idsOf(`since=${betweenMs + 1}`)).toEqual([stocks])
    expect(await idsOf(`until=${betweenMs}`)).toEqual([weather])
    expect(await calls(world, 'user=eve')).toEqual([])
  })

  test('pages through more calls than one request reads from the store', async () => {
    const { ada, world } = await worldWithCalls()
    for (let made = 0; made < 7; made += 1) await run(world, ada, 'sg_weather')
    const calls: unknown[] = []
    let cursor = ''
    for (let pages = 0; pages < 10; pages += 1) {
      const reply = await askAdmin(world, 'GET', '/calls', { query: `user=ada&limit=3${cursor}` })
      calls.push(...listed(reply).map(({ callId }) => callId))
      const next = reply.json['nextCursor']
      if (next === undefined) break
      cursor = `&cursor=${String(next)}`
    }
    expect(calls).toHaveLength(7)
    expect(new Set(calls).size).toBe(7)
  })

  test('takes its longest page and span, and refuses one more of each', async () => {
    const { world } = await worldWithCalls()
    const untilMs = world.clock.nowMs()
    const ask = async (query: string) => {
      const { json, status } = await askAdmin(world, 'GET', '/calls', {
        query: `user=ada&${query}`,
      })
      return [status, json['detail']]
    }
    expect(await ask(`limit=${CALLS_PAGE_MAX}`)).toEqual([200, undefined])
    expect(await ask(`limit=${CALLS_PAGE_MAX + 1}`)).toEqual([
      400,
      '/query/limit: must be a whole number from 1 to 200',
    ])
    const span = (ms: number) => `since=${untilMs - ms}&until=${untilMs}`
    expect(await ask(span(CALLS_SPAN_MS_MAX))).toEqual([200, undefined])
    expect(await ask(span(CALLS_SPAN_MS_MAX + 1))).toEqual([
      400,
      'since: is more than 31 days before until; ask for less at once.',
    ])
    expect(await ask(span(0))).toEqual([400, 'since: must be before until.'])
    expect((await ask('since=yesterday'))[0]).toBe(400)
    expect((await ask('since=2026-02-31T00:00:00Z&until=2026-03-01'))[0]).toBe(400)
  })

  test('shows calls of the last day where no span is asked for', async () => {
    const { ada, world } = await worldWithCalls()
    await run(world, ada, 'sg_weather')
    world.clock.jump(DAY_MS + 1_000)
    expect(await calls(world, 'user=ada')).toEqual([])
    const since = world.clock.nowMs() - 2 * DAY_MS
    expect(await calls(world, `user=ada&since=${since}`)).toHaveLength(1)
  })

  test('and the ledger of a user say from when on they are complete, on every page', async () => {
    const ledgerHotMs = 7 * DAY_MS
    const world = makeWorld({ ...SETTINGS, ledgerHotMs })
    const ada = await world.user('ada')
    await world.skill('sg_weather')
    for (let made = 0; made < 2; made += 1) await run(world, ada, 'sg_weather')
    for (const path of ['/calls', '/users/ada/ledger']) {
      const user = path === '/calls' ? 'user=ada&' : ''
      const first = await askAdmin(world, 'GET', path, { query: `${user}limit=1` })
      const cursor = `${user}limit=1&cursor=${String(first.json['nextCursor'])}`
      await world.clock.advance(1_000)
      const second = await askAdmin(world, 'GET', path, { query: cursor })
      expect(second.json['keptSinceMs'], path).toBe(world.clock.nowMs() - ledgerHotMs)
      expect(first.json['keptSinceMs'], path).toBe(world.clock.nowMs() - 1_000 - ledgerHotMs)
    }
    expect((await askAdmin(world, 'GET', '/users/eve/ledger')).status).toBe(404)
  })

  test('refuses a cursor that it did not issue', async () => {
    const { world } = await worldWithCalls()
    const reply = await askAdmin(world, 'GET', '/calls', { query: 'user=ada&cursor=bm8' })
    expect([reply.status, reply.json['code']]).toEqual([400, 'malformed'])
  })
})

describe('GET calls/{callId}', () => {
  test('tells who called, by which key, client and door, where the time went, and what came back', async () => {
    const { ada, world } = await worldWithCalls()
    const body = '{"error":"quota exceeded"}'
    world.upstream.next({ kind: 'answer', status: 429, body, afterMs: 300 })
    await run(world, ada, 'sg_weather', {
      terms: {
        callId: '1q6a0k000-ofamcpcall1',
        deadlineMs: world.clock.nowMs() + 15_000,
        door: 'mcp',
        client: 'claude-desktop/1.24.3',
      },
    })
    const keys = await askAdmin(world, 'GET', '/users/ada/keys')
    const reply = await askAdmin(world, 'GET', '/calls/1q6a0k000-ofamcpcall1', {
      query: 'user=ada',
    })
    expect(reply.status).toBe(200)
    expect(reply.json).toMatchObject({
      callId: '1q6a0k000-ofamcpcall1',
      uid: 'ada',
      username: 'ada',
      skillId: 'sg_weather',
      source: 'official',
      outcome: 'refunded',
      reason: 'upstream_failed',
      explanation:
        'The upstream failed, or its answer could not be used. It answered 429. The price was given back.',
      upstreamStatus: 429,
      upstreamHost: 'api.example',
      door: 'mcp',
      client: 'claude-desktop/1.24.3',
      excerpt: body,
      phasesMs: { auth: 0, limits: 0, hold: 0 },
    })
    expect(keys.text).toContain(`"${String(reply.json['keyId'])}"`)
  })

  test('has no excerpt where the operator keeps none', async () => {
    const world = makeWorld({ ...SETTINGS, callExcerpts: false })
    const ada = await world.user('ada')
    await world.skill('sg_weather')
    world.upstream.next({ kind: 'answer', status: 500, body: 'broken' })
    await run(world, ada, 'sg_weather')
    const [call] = await calls(world, 'user=ada')
    const shown = await askAdmin(world, 'GET', `/calls/${String(call?.['callId'])}`, {
      query: 'user=ada',
    })
    expect([shown.status, shown.json['excerpt']]).toEqual([200, undefined])
  })

  test('forgets the excerpt after a week and keeps the rest', async () => {
    const { ada, world } = await worldWithCalls()
    world.upstream.next({ kind: 'answer', status: 500, body: 'broken' })
    await run(world, ada, 'sg_weather')
    const [call] = await calls(world, 'user=ada')
    const ask = () =>
      askAdmin(world, 'GET', `/calls/${String(call?.['callId'])}`, { query: 'user=ada' })
    expect((await ask()).json['excerpt']).toBe('broken')
    world.clock.jump(7 * DAY_MS)
    expect(await ask()).toMatchObject({ status: 200, json: { outcome: 'refunded' } })
    expect((await ask()).json['excerpt']).toBeUndefined()
  })

  test('names the archive where the id is older than the calls that are kept', async () => {
    const { world } = await worldWithCalls()
    const keptSinceMs = world.clock.nowMs() - SETTINGS.ledgerHotMs
    const ask = async (atMs: number, query = '') => {
      const reply = await askAdmin(world, 'GET', `/calls/${makeCallId(atMs, 'x')}`, { query })
      expect(reply.status).toBe(404)
      return String(reply.json['detail'])
    }
    const older = new RegExp(`calls before ${toUtcSecond(keptSinceMs)} are only in the archive`)
    expect(await ask(keptSinceMs - 1)).toMatch(older)
    expect(await ask(keptSinceMs - 1, 'user=ada')).toMatch(older)
    expect(await ask(keptSinceMs)).toMatch(/has no record; the log has its line/)
  })

  test('is 404 for a call that nobody made', async () => {
    const { world } = await worldWithCalls()
    const reply = await askAdmin(world, 'GET', '/calls/none', { query: 'user=ada' })
    expect([reply.status, reply.json['code']]).toEqual([404, 'not_found'])
  })
})

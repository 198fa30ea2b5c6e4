/** The public list: which tools it has, with which figures, how old it may be, and what it asks of the store. */
import { beforeEach, describe, expect, test } from 'vitest'
import { makeCallId } from '../../../../core/call/call-id.ts'
import { Fault } from '../../../../core/errors.ts'
import {
  CATALOG_FAILED_MS,
  CATALOG_KEPT_MS,
  CATALOG_PAGE_BYTES_MAX,
  CATALOG_PAGE_TOOLS_MAX,
  type Catalog,
  MEASURED_CALLS_MIN,
  openCatalog,
} from '../../../../core/flow/catalog/catalog.ts'
import { changeSkill } from '../../../../core/flow/registry/change-skill.ts'
import { syncToolList } from '../../../../core/flow/registry/sync-tool-list.ts'
import { makeToolListCache } from '../../../../core/flow/tools/tool-list-cache.ts'
import { recordCalls } from '../../../../core/flow/usage/record-calls.ts'
import type { JsonObject } from '../../../../core/json/json.ts'
import type { Outcome } from '../../../../core/ledger/ledger.ts'
import { makeWorld, okOf, refusalOf, SETTINGS, type World } from '../world.ts'

const HOUR_MS = 3_600_000

let world: World
let catalog: Catalog

beforeEach(async () => {
  world = makeWorld()
  catalog = openCatalog(world.ports, SETTINGS, makeToolListCache())
})

async function page(cursor?: string) {
  const { text } = okOf(await catalog.page(cursor))
  const read = JSON.parse(text) as {
    tools: JsonObject[]
    nextCursor?: string
    latencyRule: string
    failureRule: string
  }
  return { ...read, names: read.tools.map((tool) => tool['name']) }
}

async function pageAfter(ms: number) {
  world.clock.jump(ms)
  return page()
}

/** Ended calls of a skill in the hour before this one, and the news that closes that hour. */
async function called(skillId: string, durations: readonly number[], more: Partial<Outcome> = {}) {
  const hourStartMs = Math.floor(world.clock.nowMs() / HOUR_MS) * HOUR_MS
  const calls = durations.map((durationMs, index) => ({
    uid: 'ada',
    callId: makeCallId(hourStartMs + index, `call${skillId}${index}`),
    skillId,
    source: 'official' as const,
    skillVersion: 1,
    state: 'settled' as const,
    reason: undefined,
    amount: 1,
    placement: 1,
    createdAtMs: hourStartMs + index,
    endedAtMs: hourStartMs + index + durationMs,
    durationMs,
    upstreamStatus: 200,
    ...more,
  }))
  world.clock.jump(hourStartMs + HOUR_MS + 300_000 - world.clock.nowMs())
  await recordCalls(world.ports, calls)
}

describe('the tools of the catalog', () => {
  test('the catalog has the official tools that everyone sees, and no others', async () => {
    await world.user('ada')
    await world.skill('sg_open', { price: 2.5 })
    await world.skill('sg_staff', { groups: ['staff'] })
    await world.skill('sg_market', { source: 'market' })
    await world.skill('sg_mine', { source: 'private', uid: 'ada' })
    await world.skill('sg_unlisted')
    await world.skill('sg_disabled')
    for (const [skillId, change] of [
      ['sg_unlisted', { state: 'unlisted' }],
      ['sg_disabled', { state: 'disabled', reason: 'The API is gone.' }],
    ] as const) {
      const place = { source: 'official', skillId }
      okOf(await changeSkill(world.ports, SETTINGS, place, change))
    }
    const { tools } = await page()
    expect(tools).toEqual([
      {
        name: 'sg_open',
        title: 'sg_open',
        description: 'What sg_open does.',
        parameters: { type: 'object', properties: {} },
        price: 2.5,
        refund:
          'A call that fails, is cancelled or is stopped by its time limit is refunded in full.',
        latency: null,
        failureShare: null,
        version: 1,
      },
    ])
  })

  test('a tool that costs nothing says so', async () => {
    await world.skill('sg_free', { price: 0 })
    expect((await page()).tools).toMatchObject([{ price: 0, refund: 'Calls are free.' }])
  })

  test('entries that an administrator pushed are left out, since they may say what no skill says', async () => {
    await world.skill('sg_open')
    const tools = [
      {
        name: 'sg_open',
        description: 'Better.',
        inputSchema: { type: 'object' },
        creditsPerCall: 9,
        source: 'official',
        version: 7,
      },
    ]
    okOf(await syncToolList(world.ports, SETTINGS, { mode: 'replace', tools }))
    expect((await page()).names).toEqual([])
    await world.skill('sg_open', { price: 3 })
    expect((await pageAfter(CATALOG_KEPT_MS)).tools).toMatchObject([{ price: 3, version: 2 }])
  })
})

describe('latencies in the catalog', () => {
  test('a latency is p50 and p95 of successful calls of the last 24 full hours', async () => {
    await world.skill('sg_open')
    await called(
      'sg_open',
      Array.from({ length: 100 }, (_, index) => (index < 90 ? 100 : 2_000)),
    )
    await called('sg_open', [9_000, 9_000, 9_000], { state: 'refunded', reason: 'timed_out' })
    const { latency } = (await page()).tools[0] ?? {}
    const { p50Ms, p95Ms } = latency as { p50Ms: number; p95Ms: number }
    expect(Math.abs(p50Ms - 100)).toBeLessThanOrEqual(10)
    expect(Math.abs(p95Ms - 2_000)).toBeLessThanOrEqual(200)
    expect((await pageAfter(25 * HOUR_MS)).tools).toMatchObject([{ latency: null }])
  })

  test('fewer calls than a percentile needs give none, and the answer says why', async () => {
    await world.skill('sg_few')
    await world.skill('sg_enough')
    await called('sg_few', Array(MEASURED_CALLS_MIN - 1).fill(50))
    await called('sg_enough', Array(MEASURED_CALLS_MIN).fill(50))
    const { latencyRule, tools } = await page()
    expect(tools).toMatchObject([
      { name: 'sg_enough', latency: { p50Ms: expect.any(Number) } },
      { name: 'sg_few', latency: null },
    ])
    expect(latencyRule).toContain('fewer than 20 such calls')
  })

  test('calls of another tier with the same id do not count', async () => {
    await world.skill('sg_open')
    await called('sg_open', Array(40).fill(50), { source: 'market' })
    expect((await page()).tools).toMatchObject([{ latency: null }])
  })
})

describe('shares of failures in the catalog', () => {
  const fail = (count: number, more: Partial<Outcome> = {}) =>
    called('sg_open', Array(count).fill(100), {
      state: 'refunded',
      reason: 'upstream_failed',
      upstreamStatus: 503,
      ...more,
    })

  test('the share has failures of the upstream, and successes', async () => {
    await world.skill('sg_open')
    await called('sg_open', Array(16).fill(100))
    await fail(3)
    await fail(1, { reason: 'timed_out', upstreamStatus: undefined })
    expect((await page()).tools).toMatchObject([{ failureShare: 0.2, latency: null }])
    expect((await pageAfter(25 * HOUR_MS)).tools).toMatchObject([{ failureShare: null }])
  })

  test('calls that fail by what their caller sent or did count neither way', async () => {
    await world.skill('sg_open')
    await called('sg_open', Array(MEASURED_CALLS_MIN - 1).fill(100))
    await fail(5, { upstreamStatus: 422 })
    await fail(5, { reason: 'cancelled', upstreamStatus: undefined })
    await fail(5, { reason: 'secret_missing', upstreamStatus: undefined })
    await fail(5, { source: 'private' })
    expect((await page()).tools).toMatchObject([{ failureShare: null }])
    await fail(1)
    const { failureRule, tools } = await pageAfter(CATALOG_KEPT_MS)
    expect(tools).toMatchObject([{ failureShare: 0.05 }])
    expect(failureRule).toContain('fewer than 20 calls')
  })
})

describe('the age of the catalog', () => {
  test('an answer is used for the rest of 60 s, and read anew after them', async () => {
    await world.skill('sg_open')
    const first = okOf(await catalog.page(undefined))
    expect(first.freshSec).toBe(60)
    await world.skill('sg_open', { price: 7 })
    world.clock.jump(CATALOG_KEPT_MS - 1)
    const late = okOf(await catalog.page(undefined))
    expect([late.etag, late.freshSec]).toEqual([first.etag, 0])
    world.clock.jump(1)
    const next = okOf(await catalog.page(undefined))
    expect(next.etag).not.toBe(first.etag)
    expect([next.freshSec, JSON.parse(next.text).tools[0].price]).toEqual([60, 7])
  })

  test('equal content has an equal validator', async () => {
    await world.skill('sg_open')
    const first = okOf(await catalog.page(undefined))
    world.clock.jump(CATALOG_KEPT_MS)
    expect(okOf(await catalog.page(undefined)).etag).toBe(first.etag)
  })

  test('a tool that was given a group, or was deleted, is gone after 60 s', async () => {
    await world.skill('sg_open')
    await world.skill('sg_other')
    await page()
    await world.skill('sg_open', { groups: ['staff'] })
    world.clock.jump(CATALOG_KEPT_MS)
    expect((await page()).names).toEqual(['sg_other'])
  })

  test('beside a sync, price and version are both the old ones or both the new ones at every step', async () => {
    await world.skill('sg_open', { price: 1 })
    const seen = new Set<string>()
    const look = async () => {
      const fresh = openCatalog(honest, SETTINGS, makeToolListCache())
      const { tools } = JSON.parse(okOf(await fresh.page(undefined)).text)
      for (const { price, version } of tools) seen.add(`${price} v${version}`)
    }
    const honest = { ...world.ports }
    const watched = <P extends object>(port: P): P =>
      new Proxy(port, {
        get: (target, name) => {
          const method = Reflect.get(target, name)
          if (typeof method !== 'function') return method
          return async (...args: unknown[]) => {
            await look()
            const answer = await method.apply(target, args)
            await look()
            return answer
          }
        },
      })
    world.ports.skills = watched(world.ports.skills)
    world.ports.toolsCache = watched(world.ports.toolsCache)
    world.ports.toolListVersion = watched(world.ports.toolListVersion)
    await world.skill('sg_open', { price: 2 })
    await look()
    expect([...seen].sort()).toEqual(['1 v1', '2 v2'])
  })
})

describe('requests of the catalog to the store', () => {
  type Asked = { count: number }

  function counted(asked: Asked) {
    const counting = <P extends object>(port: P): P =>
      new Proxy(port, {
        get: (target, name) => {
          const method = Reflect.get(target, name)
          if (typeof method !== 'function') return method
          return (...args: unknown[]) => {
            asked.count += 1
            return method.apply(target, args)
          }
        },
      })
    const { skills, toolListVersion, toolsCache, usageSums } = world.ports
    world.ports.skills = counting(skills)
    world.ports.toolListVersion = counting(toolListVersion)
    world.ports.toolsCache = counting(toolsCache)
    world.ports.usageSums = counting(usageSums)
  }

  test('a flood within 60 s asks nothing, and one minute later two requests are sent for all of it', async () => {
    await world.skill('sg_open')
    await called('sg_open', Array(30).fill(80))
    const asked = { count: 0 }
    counted(asked)
    await Promise.all(Array.from({ length: 500 }, () => page()))
    // List version, list, head of the sums, and the hours.
    expect(asked.count).toBe(4)
    await Promise.all(
      Array.from({ length: 500 }, (_, index) => page(index % 2 === 0 ? undefined : 'MTpzZ18')),
    )
    expect(asked.count).toBe(4)
    world.clock.jump(CATALOG_KEPT_MS)
    await Promise.all(Array.from({ length: 500 }, () => page()))
    expect(asked.count).toBe(6)
  })

  test('a store that does not answer is asked again after five seconds, and not before', async () => {
    await world.skill('sg_open')
    const asked = { count: 0 }
    const { toolListVersion } = world.ports
    let isDown = true
    world.ports.toolListVersion = {
      ...toolListVersion,
      read: () => {
        asked.count += 1
        return isDown
          ? Promise.reject(new Fault('store_unavailable', 'down'))
          : toolListVersion.read()
      },
    }
    await expect(page()).rejects.toThrow(Fault)
    await expect(page()).rejects.toThrow(Fault)
    expect(asked.count).toBe(1)
    isDown = false
    world.clock.jump(CATALOG_FAILED_MS - 1)
    await expect(page()).rejects.toThrow(Fault)
    world.clock.jump(1)
    expect((await page()).names).toEqual(['sg_open'])
  })
})

describe('pages of the catalog', () => {
  test('a page has 500 tools at most, and the cursor leads to the next one', async () => {
    await fillList(CATALOG_PAGE_TOOLS_MAX + 1, 'Short.')
    const first = await page()
    expect(first.names).toHaveLength(CATALOG_PAGE_TOOLS_MAX)
    const second = await page(first.nextCursor)
    expect([second.names, second.nextCursor]).toEqual([['sg_t0500'], undefined])
  })

  test('a page has a megabyte at most', async () => {
    await fillList(400, 'x'.repeat(4_000))
    const first = okOf(await catalog.page(undefined))
    expect(first.text.length).toBeLessThanOrEqual(CATALOG_PAGE_BYTES_MAX)
    let names = 0
    let cursor: string | undefined
    do {
      const one = await page(cursor)
      names += one.names.length
      cursor = one.nextCursor
    } while (cursor !== undefined)
    expect(names).toBe(400)
  })

  test('a cursor that no page had is refused by its name', async () => {
    await world.skill('sg_open')
    const refusal = refusalOf(await catalog.page('%%'))
    expect([refusal.code, refusal.detail]).toEqual([
      'malformed',
      '/query/cursor: must be the nextCursor of an earlier answer to the same request, unchanged; leave it out to start at the beginning',
    ])
  })

  test('an empty cursor is refused, also once the first page is known', async () => {
    await world.skill('sg_open')
    expect(refusalOf(await catalog.page('')).code).toBe('malformed')
    await page()
    expect(refusalOf(await catalog.page('')).code).toBe('malformed')
  })

  async function fillList(count: number, description: string) {
    const tools = Array.from({ length: count }, (_, index) => ({
      name: `sg_t${String(index).padStart(4, '0')}`,
      title: undefined,
      description,
      inputSchema: { type: 'object' },
      skillId: `sg_t${String(index).padStart(4, '0')}`,
      priceMicroCredits: 1,
      source: 'official' as const,
      version: 1,
    }))
    await world.ports.toolsCache.write(tools, undefined)
  }
})

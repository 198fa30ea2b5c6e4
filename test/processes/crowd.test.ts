/**
 * Several processes on one store, and one user who makes more calls at once than allowed: counter,
 * budget and calls in flight are exact across processes.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  CROWDS,
  callAllAtOnce,
  callUntilLetIn,
  isPutOff,
  tally,
  textsOf,
  textsWhere,
} from './crowd.ts'
import { type Fleet, startFleet, type Worker } from './fleet.ts'
import { HOLDS_MAX } from './setup.ts'

/** Long enough that 32 calls are there at once. */
const UPSTREAM_MS = 40

describe('several processes on DynamoDB', () => {
  let fleet: Fleet
  let workers: readonly Worker[]

  beforeAll(async () => {
    fleet = await startFleet(UPSTREAM_MS)
    workers = await fleet.startWorkers(4)
  })
  afterAll(() => fleet.stop())

  async function allIdle(): Promise<void> {
    for (const worker of workers) await worker.idle()
  }

  /** These tests come first: the fleet's clock began with a minute, and no minute may end during them. */
  describe.each(CROWDS)('$processes processes and $calls calls at once', ({ processes, calls }) => {
    test('the processes count the minute exactly', async () => {
      const { key } = await fleet.user({ credits: 0, tier: 'counted' })
      const urls = workers.slice(0, processes).map(({ url }) => url)
      const crowd = { key, skill: 'sg_free', workers: urls } as const
      const reply = await callAllAtOnce(crowd, textsOf(calls, `count ${processes} ${calls}`))
      expect(tally(reply)).toEqual({ ok: 60, rate_limited: calls - 60 })
      // A process that knows that the key is past its limit counts it no more.
      const counted = await fleet.countOnce(key)
      expect(counted).toBeLessThanOrEqual(calls + 1)
      expect(counted).toBeGreaterThan(61)
    })
  })

  describe.each(CROWDS)('$processes processes and $calls calls at once', ({ processes, calls }) => {
    test('the processes spend a budget exactly, with 32 calls in flight at most', async () => {
      const budget = calls / 5
      const { uid, key } = await fleet.user({ credits: budget })
      const urls = workers.slice(0, processes).map(({ url }) => url)
      const crowd = { key, skill: 'sg_works', workers: urls } as const
      const texts = textsOf(calls, `budget ${processes} ${calls}`)
      const askedBefore = fleet.upstream.askedInAll()
      const release = fleet.upstream.hold()
      const first = await callAllAtOnce(crowd, texts, (answers) => {
        // All others are in flight, and nobody else gets in before they end.
        if (answers === calls - HOLDS_MAX) release()
      })
      const served = first.filter(({ code }) => code === 'ok').length
      await allIdle()
      const inBetween = await fleet.books(uid)
      const again = await callUntilLetIn(crowd, textsWhere(first, isPutOff))
      const all = [...first.filter((heard) => !isPutOff(heard)), ...again]
      await allIdle()
      const after = await fleet.books(uid)
      expect(tally(first)['too_many_holds']).toBeGreaterThan(0)
      expect(inBetween).toEqual({
        credits: budget - served,
        holds: 0,
        settled: served,
        charged: served,
      })
      expect(tally(all)).toEqual({ ok: budget, insufficient_credits: calls - budget })
      expect(after).toEqual({ credits: 0, holds: 0, settled: budget, charged: budget })
      expect(texts.filter((text) => fleet.upstream.asked(text) > 1)).toEqual([])
      expect(fleet.upstream.askedInAll() - askedBefore).toBe(budget)
      expect(fleet.upstream.atOnceMax()).toBeLessThanOrEqual(32)
      expect(fleet.upstream.atOnceMax()).toBeGreaterThan(8)
    })
  })
})

/**
 * Sums and lists of calls agree with the ledger, however the stream brings its entries: again, late, in other
 * batches, in another order, after a failure.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nodeDigests } from '../../../../adapters/crypto/node-digests.ts'
import { openLocalStore } from '../../../../adapters/dynamodb/local-store.ts'
import { makeCallId } from '../../../../core/call/call-id.ts'
import { Fault } from '../../../../core/errors.ts'
import { listCalls } from '../../../../core/flow/usage/list-calls.ts'
import { readUsage } from '../../../../core/flow/usage/read-usage.ts'
import { recordCalls } from '../../../../core/flow/usage/record-calls.ts'
import { showCall } from '../../../../core/flow/usage/show-call.ts'
import { toCreditsNumber } from '../../../../core/ledger/amount.ts'
import type { Outcome } from '../../../../core/ledger/ledger.ts'
import type { UsagePages, UsageSums } from '../../../../core/ports/usage.ts'
import { CALLS_PAGE_MAX } from '../../../../core/usage/limits.ts'

import { DIMENSIONS } from '../../../../core/usage/usage-dimensions.ts'
import { manualClock } from '../manual-clock.ts'
import { okOf } from '../world.ts'
import {
  deliveries,
  HOUR_MS,
  random,
  START_MS,
  TRAFFIC,
  type Traffic,
  voidedOf,
} from './traffic.ts'

function worldAt(nowMs: number) {
  const clock = manualClock()
  clock.jump(nowMs - clock.nowMs())
  return { clock, digests: nodeDigests(), ...openLocalStore({ clock }).ports }
}

type Ports = ReturnType<typeof worldAt>

/** The ledger's own sums: each call once, as it stands. */
function expectedOf(traffic: readonly Traffic[], nameOf: (outcome: Outcome) => string) {
  const sums = new Map<string, { calls: number; settled: number; charged: number }>()
  for (const { isVoided, outcome } of traffic) {
    const last = isVoided ? voidedOf(outcome) : outcome
    const name = nameOf(last)
    const sum = sums.get(name) ?? { calls: 0, settled: 0, charged: 0 }
    sum.calls += 1
    if (last.state === 'settled') {
      sum.settled += 1
      sum.charged += last.amount
    }
    sums.set(name, sum)
  }
  return [...sums]
    .map(([name, { charged, ...rest }]) => ({ name, ...rest, charged: toCreditsNumber(charged) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

const NAME_OF: { readonly [by: string]: (outcome: Outcome) => string } = {
  skill: ({ skillId, source }) => `${skillId} ${source}`,
  user: ({ uid }) => uid,
  key: ({ facts, uid }) => `${facts?.keyId ?? ''} ${uid}`,
  day: ({ createdAtMs }) => new Date(createdAtMs).toISOString().slice(0, 10),
  month: ({ createdAtMs }) => new Date(createdAtMs).toISOString().slice(0, 7),
}

async function agrees(ports: Ports, traffic: readonly Traffic[]): Promise<void> {
  const span = { since: String(START_MS), until: String(START_MS + 6 * HOUR_MS) }
  for (const by of DIMENSIONS) {
    const { entries } = okOf(await readUsage(ports, { by: [by], ...span }))
    const expected = entries.map(
      ({ calls, charged, day, keyId, month, settled, skillId, source, uid }) => {
        const names = [skillId, source, keyId, uid, day, month].filter((one) => one !== undefined)
        return { name: names.join(' '), calls, settled, charged }
      },
    )
    const sorted = expected.sort((a, b) => (a.name < b.name ? -1 : 1))
    expect({ by, sorted }).toEqual({ by, sorted: expectedOf(traffic, NAME_OF[by] ?? String) })
  }
}

/** The first requests of a share of all batches fail; Lambda brings such a batch again. */
function flaky(ports: Ports, draw: () => number): Ports {
  const fails = () => {
    if (draw() < 0.1) throw new Fault('store_unavailable', 'drawn')
  }
  const usagePages: UsagePages = {
    put: async (page) => {
      fails()
      await ports.usagePages.put(page)
      fails()
    },
    list: ports.usagePages.list,
  }
  const usageSums: UsageSums = {
    ...ports.usageSums,
    moveHead: async (level, to) => {
      fails()
      await ports.usageSums.moveHead(level, to)
      fails()
    },
    writeSkills: async (of) => {
      fails()
      const written = await ports.usageSums.writeSkills(of)
      fails()
      return written
    },
    replacePart: async (of) => {
      fails()
      const written = await ports.usageSums.replacePart(of)
      fails()
      return written
    },
  }
  return { ...ports, usagePages, usageSums }
}

test('sums agree with the ledger after batches that came again, late, cut, and at once', async () => {
  await fc.assert(
    fc.asyncProperty(TRAFFIC, fc.nat(), async (traffic, seed) => {
      const draw = random(seed)
      const ports = worldAt(START_MS)
      let waiting = [...deliveries(traffic, draw)]
      // Each batch comes again until it was taken; some time passes, so that hours close in between.
      for (let rounds = 0; waiting.length > 0; rounds += 1) {
        expect(rounds).toBeLessThan(500)
        const together = waiting.splice(0, 1 + Math.floor(draw() * 3))
        // News of a call comes after it.
        const newest = Math.max(...together.flat().map(({ createdAtMs }) => createdAtMs))
        ports.clock.jump(Math.max(0, newest - ports.clock.nowMs()))
        const taken = await Promise.allSettled(
          together.map((batch) => recordCalls(flaky(ports, draw), batch)),
        )
        const failed = together.filter((_, index) => taken[index]?.status === 'rejected')
        waiting = [...failed, ...waiting]
        ports.clock.jump(Math.floor(draw() * HOUR_MS))
      }
      await agrees(ports, traffic)
      // The next batch closes what is over by then; the sums stay what they are.
      ports.clock.jump(10 * HOUR_MS)
      await recordCalls(ports, [])
      await agrees(ports, traffic)
    }),
    { numRuns: 150 },
  )
})

test('lists of all users have each call once, as it stands, newest first', async () => {
  await fc.assert(
    fc.asyncProperty(
      TRAFFIC,
      fc.nat(),
      fc.integer({ min: 1, max: 9 }),
      async (traffic, seed, limit) => {
        const ports = worldAt(START_MS + 6 * HOUR_MS)
        for (const batch of deliveries(traffic, random(seed))) await recordCalls(ports, batch)
        const calls: { callId: string; outcome: string; startedAtMs: number }[] = []
        let cursor: string | undefined
        for (let pages = 0; pages < 70; pages += 1) {
          const page = okOf(await listCalls(ports, { skill: 'sg_a', limit: String(limit), cursor }))
          calls.push(...page.calls)
          cursor = page.nextCursor
          if (cursor === undefined) break
        }
        const wanted = traffic
          .map(({ isVoided, outcome }) => (isVoided ? voidedOf(outcome) : outcome))
          .filter(({ skillId }) => skillId === 'sg_a')
        expect(new Map(calls.map(({ callId, outcome }) => [callId, outcome]))).toEqual(
          new Map(wanted.map(({ callId, state }) => [callId, state])),
        )
        expect(calls).toHaveLength(wanted.length)
        const times = calls.map(({ startedAtMs }) => startedAtMs)
        expect(times).toEqual([...times].sort((a, b) => b - a))
      },
    ),
    { numRuns: 60 },
  )
})

test('a call is found by its id alone', async () => {
  const ports = worldAt(START_MS + HOUR_MS)
  const [traffic] = fc.sample(TRAFFIC, { numRuns: 1, seed: 3 })
  const outcome = traffic?.[0]?.outcome
  if (outcome === undefined) throw new Error('no call was drawn')
  await ports.ledger.decide(outcome)
  await recordCalls(ports, [outcome])
  const shown = await showCall(ports, { callId: outcome.callId, uid: undefined, keptSinceMs: 0 })
  expect(okOf(shown)).toMatchObject({ callId: outcome.callId, uid: outcome.uid })
  const none = await showCall(ports, {
    callId: makeCallId(START_MS, 'nobody'),
    uid: undefined,
    keptSinceMs: 0,
  })
  expect(none.ok).toBe(false)
})

test('a page of all users is full where there are more calls', async () => {
  const ports = worldAt(START_MS + HOUR_MS)
  const outcomes = Array.from({ length: CALLS_PAGE_MAX + 1 }, (_, index) => {
    const [traffic] = fc.sample(TRAFFIC, { numRuns: 1, seed: 9 })
    const outcome = traffic?.[0]?.outcome
    if (outcome === undefined) throw new Error('no call was drawn')
    return { ...outcome, callId: makeCallId(START_MS, `t${index}`), createdAtMs: START_MS }
  })
  await recordCalls(ports, outcomes)
  const first = okOf(await listCalls(ports, { limit: String(CALLS_PAGE_MAX) }))
  expect(first.calls).toHaveLength(CALLS_PAGE_MAX)
  const second = okOf(await listCalls(ports, { cursor: first.nextCursor }))
  expect([second.calls.length, second.nextCursor]).toEqual([1, undefined])
})

test('the sums of an hour are made of one slot after the other, so that few rows are in memory', async () => {
  const ports = worldAt(START_MS)
  let [listing, most, lists] = [0, 0, 0]
  const usagePages: UsagePages = {
    ...ports.usagePages,
    list: (slot) => {
      listing += 1
      lists += 1
      most = Math.max(most, listing)
      return (async function* () {
        yield* ports.usagePages.list(slot)
        await new Promise((resolve) => setImmediate(resolve))
        listing -= 1
      })()
    },
  }
  const [traffic] = fc.sample(TRAFFIC, { numRuns: 1, seed: 3 })
  const outcome = traffic?.[0]?.outcome
  if (outcome === undefined) throw new Error('no call was drawn')
  await recordCalls(ports, [{ ...outcome, createdAtMs: START_MS }])
  ports.clock.jump(HOUR_MS + 200_000)
  await recordCalls({ ...ports, usagePages }, [])
  expect([most, lists]).toEqual([1, 6])
})

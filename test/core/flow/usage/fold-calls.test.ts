/** All calls of slots, each once, from pages in any order, in portions. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openLocalStore } from '../../../../adapters/dynamodb/local-store.ts'
import { type CallFold, foldSlots } from '../../../../core/flow/usage/fold-calls.ts'
import type { CallRow } from '../../../../core/usage/call-row.ts'
import { createOpenHour } from '../../../../core/usage/open-sums.ts'
import { toSumOfDetail } from '../../../../core/usage/usage-detail.ts'
import { choosePart, splitIntoPages } from '../../../../core/usage/usage-page.ts'
import { addSums, listSums, type SumGroups } from '../../../../core/usage/usage-sum.ts'
import { testClock } from '../../../contracts/test-clock.ts'
import { callRow } from '../../usage/call-rows.ts'
import { addedUp } from '../../usage/sums-of.ts'

const SLOT = 2_992_032
const SLOT_MS = 600_000

function world() {
  const { usagePages } = openLocalStore({ clock: testClock(SLOT * SLOT_MS) }).ports
  const sleeps: number[] = []
  const clock = { sleep: async (ms: number) => void sleeps.push(ms) }
  let made = 0
  const put = async (rows: readonly CallRow[]) => {
    for (const page of splitIntoPages(rows)) {
      made += 1
      await usagePages.put({ ...page, id: `${page.rows[0]?.callId}~${made}` })
    }
  }
  return { ports: { clock, usagePages }, put, sleeps }
}

const PORTIONS: CallFold<CallRow[][]> = {
  start: () => [],
  add: (portions, rows) => void portions.push([...rows]),
}

const ROW = fc
  .record({
    callId: fc.oneof(
      // Of the gateway: in the order of time. Of an IAM caller: one may be the start of another.
      fc.nat({ max: 400 }).map((ms) => `${String(1_000 + ms)}-x`),
      fc.string({ minLength: 1, maxLength: 4, unit: fc.constantFrom('a', 'b', '-', '_') }),
    ),
    uid: fc.constantFrom('ada', 'bob'),
    skillId: fc.constantFrom('sg_a', 'sg_b', ''),
    source: fc.constantFrom('official', 'private'),
    keyId: fc.constantFrom('k1', 'k2', undefined),
    amount: fc.nat({ max: 3_000_000 }),
    durationMs: fc.nat({ max: 20_000 }),
    slot: fc.nat({ max: 2 }),
    state: fc.constantFrom('settled', 'refunded'),
    reason: fc.constantFrom('timed_out', 'upstream_failed', 'void'),
    isVoided: fc.boolean(),
    inBatches: fc.array(fc.nat({ max: 9 }), { minLength: 1, maxLength: 3 }),
  })
  .map(({ inBatches, isVoided, reason, slot, state, ...row }) => {
    const isRefunded = state === 'refunded'
    const facts = { ...row, createdAtMs: (SLOT + slot) * SLOT_MS } as Partial<CallRow>
    const ending = isRefunded ? { state: 'refunded' as const, reason } : {}
    const first = callRow(row.callId, { ...facts, ...ending })
    const last = !isRefunded && isVoided ? { ...first, state: 'refunded', reason: 'void' } : first
    return { first, last: last as CallRow, inBatches }
  })

const CALLS = fc.uniqueArray(ROW, {
  maxLength: 80,
  selector: ({ first }) => `${first.callId} ${first.uid}`,
})

/** One by one, as a person would. */
function plainSum(rows: readonly CallRow[], uid: string) {
  const sum = { calls: 0, settled: 0, charged: 0, givenBack: 0, durationMs: 0 }
  const reasons: { [reason: string]: number } = {}
  for (const row of rows.filter((one) => one.uid === uid)) {
    sum.calls += 1
    sum.durationMs += row.durationMs
    if (row.state === 'settled') {
      sum.settled += 1
      sum.charged += row.amount
    } else {
      sum.givenBack += row.amount
      reasons[row.reason ?? ''] = (reasons[row.reason ?? ''] ?? 0) + 1
    }
  }
  return { ...sum, reasons }
}

describe('calls of slots', () => {
  test('each call comes once, as it ended, and the sums are those of the calls, for any pages', async () => {
    await fc.assert(
      fc.asyncProperty(CALLS, async (calls) => {
        const { ports, put } = world()
        for (let batch = 0; batch < 10; batch += 1) {
          const here = calls.filter(({ inBatches }) => inBatches.includes(batch))
          await put(here.map(({ first }) => first))
        }
        await put(calls.map(({ last }) => last).filter(({ reason }) => reason === 'void'))
        const slots = [SLOT, SLOT + 1, SLOT + 2]
        const found = await foldSlots(ports, slots, PORTIONS)
        const ended = calls.map(({ last }) => last)
        const sorted = (rows: readonly CallRow[]) =>
          rows.toSorted((a, b) => (`${a.callId} ${a.uid}` < `${b.callId} ${b.uid}` ? -1 : 1))
        expect(sorted(found.flat(2))).toEqual(sorted(ended))

        const made = await foldSlots(ports, slots, {
          start: createOpenHour,
          add: (sums, rows) => sums.add(rows),
        })
        const sums = addedUp(made.map((one) => one.read()))
        const users: SumGroups = new Map()
        addSums(
          users,
          sums.details.map((detail) => toSumOfDetail(detail, { name: detail.uid })),
        )
        for (const { name, refunded, settled, ...sum } of listSums(users)) {
          const all = { ...sum, calls: settled + refunded, settled }
          expect({ name, ...all }).toEqual({ name, ...plainSum(ended, name) })
        }
        for (const some of [sums.skills, listSums(users)]) {
          const count = some.reduce((total, one) => total + one.settled + one.refunded, 0)
          expect(count).toBe(calls.length)
        }
      }),
      { numRuns: 200 },
    )
  })

  test('calls that are named at random come each once, in parts that fit the memory', async () => {
    const { ports, put } = world()
    const ids = Array.from({ length: 60_000 }, (_, index) => {
      const random = Math.imul(index + 1, 0x9e3779b1) >>> 0
      return `${random.toString(36).padStart(7, '0')}${index}`
    })
    for (let from = 0; from < ids.length; from += 1_000) {
      await put(ids.slice(from, from + 1_000).map((id) => callRow(id)))
    }
    await put(ids.slice(0, 1_000).map((id) => callRow(id, { state: 'refunded', reason: 'void' })))
    let lists = 0
    const usagePages = {
      list: (slot: number) => {
        lists += 1
        return ports.usagePages.list(slot)
      },
    }
    const slot = Math.floor(callRow('').createdAtMs / SLOT_MS)
    const [portions = []] = await foldSlots({ ...ports, usagePages }, [slot], PORTIONS)
    const found = portions.flat()
    expect([found.length, new Set(found.map(({ callId }) => callId)).size]).toEqual([
      60_000, 60_000,
    ])
    expect(found.filter(({ state }) => state === 'refunded')).toHaveLength(1_000)
    expect(Math.max(...portions.map((rows) => rows.length))).toBe(1_000)
    // In order, to be counted, and two parts.
    expect(lists).toBe(4)
  })

  test('the event loop is free between two portions that come without a page', async () => {
    const { ports, put, sleeps } = world()
    // Six pages that overlap: nearly all rows wait for the last one.
    for (let page = 0; page < 6; page += 1) {
      await put(Array.from({ length: 1_000 }, (_, row) => callRow(`c${100_000 + 6 * row + page}`)))
    }
    const slot = Math.floor(callRow('').createdAtMs / SLOT_MS)
    const [portions = []] = await foldSlots(ports, [slot], PORTIONS)
    expect(portions.flat()).toHaveLength(6_000)
    expect(sleeps.length).toBeGreaterThanOrEqual(3)
    expect(new Set(sleeps)).toEqual(new Set([0]))
  })
})

describe('parts', () => {
  test('a call is in the same part each time, and each part has about as many calls', () => {
    const counts = [0, 0, 0]
    for (let call = 0; call < 30_000; call += 1) {
      const part = choosePart(`job-${call}`, 3)
      counts[part] = (counts[part] ?? 0) + 1
    }
    expect(Math.min(...counts)).toBeGreaterThan(9_000)
    expect(choosePart('1q6a0k000-c1', 7)).toBe(choosePart('1q6a0k000-c1', 7))
  })
})

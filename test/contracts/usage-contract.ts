/** Contract of the ports UsagePages and UsageSums. */
import { describe, expect, test } from 'vitest'
import type { CallRow } from '../../core/usage/call-row.ts'
import type { UsagePage } from '../../core/usage/usage-page.ts'
import type { HourSums } from '../../core/usage/usage-sum.ts'
import { sumsOf } from '../core/usage/sums-of.ts'
import { freshName } from './fresh.ts'
import { type MakePorts, openedPorts } from './store-ports.ts'

/** Hours far from any other test's, and from each other's. */
let nextHour = 600_000
function freshHour(): number {
  nextHour += 1_000
  return nextHour
}

function rowOf(more: Partial<CallRow> = {}): CallRow {
  return {
    callId: freshName('c-'),
    uid: 'u-1',
    skillId: 'sg_weather',
    source: 'official',
    skillVersion: 3,
    state: 'settled',
    reason: undefined,
    amount: 123_456_789_012_345,
    createdAtMs: 2_000_000_000_000,
    durationMs: 7,
    upstreamStatus: 200,
    keyId: 'k-1',
    door: 'mcp',
    ...more,
  }
}

async function listed(pages: AsyncIterable<UsagePage>): Promise<readonly UsagePage[]> {
  const all: UsagePage[] = []
  for await (const page of pages) all.push(page)
  return all
}

const BARE: Partial<CallRow> = {
  skillId: '',
  state: 'refunded',
  reason: 'void',
  upstreamStatus: undefined,
  keyId: undefined,
  door: undefined,
}

export function describeUsage(name: string, makePorts: MakePorts): void {
  describe(`${name}: pages of calls`, () => {
    const opened = openedPorts(makePorts)

    test('a page is listed with its slot, as it was put, once', async () => {
      const { usagePages } = opened()
      const slot = freshHour() * 6
      const rows = [rowOf(), rowOf(BARE), rowOf({ state: 'refunded', reason: undefined })]
      await usagePages.put({ slot, id: 'b~2', rows })
      await usagePages.put({ slot, id: 'a~1', rows: rows.slice(1) })
      await usagePages.put({ slot, id: 'b~2', rows })
      expect(await listed(usagePages.list(slot))).toEqual([
        { slot, id: 'a~1', rows: rows.slice(1) },
        { slot, id: 'b~2', rows },
      ])
      expect(await listed(usagePages.list(slot + 1))).toEqual([])
    })

    test('pages are listed by their ids, however many there are', async () => {
      const { usagePages } = opened()
      const slot = freshHour() * 6
      const ids = Array.from({ length: 401 }, (_, index) => `c${String(index).padStart(3, '0')}~x`)
      for (const id of ids.toReversed()) {
        await usagePages.put({ slot, id, rows: [rowOf({ callId: id })] })
      }
      const pages = await listed(usagePages.list(slot))
      expect(pages.map(({ id }) => id)).toEqual(ids)
      expect(pages.map(({ rows }) => rows[0]?.callId)).toEqual(ids)
    })

    test('a list of pages can be left after its first page', async () => {
      const { usagePages } = opened()
      const slot = freshHour() * 6
      for (const id of ['a~1', 'b~2']) await usagePages.put({ slot, id, rows: [rowOf()] })
      const seen: string[] = []
      for await (const { id } of usagePages.list(slot)) {
        seen.push(id)
        break
      }
      expect(seen).toEqual(['a~1'])
    })

    test('a page of calls holds 2,000 of them', async () => {
      const { usagePages } = opened()
      const slot = freshHour() * 6
      const rows = Array.from({ length: 2_000 }, () => rowOf())
      await usagePages.put({ slot, id: 'long', rows })
      const [page] = await listed(usagePages.list(slot))
      expect(page?.rows).toEqual(rows)
    })
  })

  describe(`${name}: sums of calls`, () => {
    const opened = openedPorts(makePorts)

    test('the head only moves forward, each of its numbers by itself', async () => {
      const { usageSums } = opened()
      const from = (await usageSums.readHead())?.closed ?? 0
      await usageSums.moveHead({ closed: from + 5 })
      const first = await usageSums.readHead()
      expect(first?.closed).toBe(from + 5)
      await usageSums.moveHead({ rolled: from + 3 })
      await usageSums.moveHead({ closed: from + 4 })
      await usageSums.moveHead({ rolled: from + 2 })
      const rolled = Math.max(first?.rolled ?? 0, from + 3)
      expect(await usageSums.readHead()).toEqual({ closed: from + 5, rolled })
    })

    test('an hour is written over its own version only', async () => {
      const { usageSums } = opened()
      const hour = freshHour()
      const [one, two] = [sumsOf([rowOf()]), sumsOf([rowOf(), rowOf(BARE)])]
      expect(await usageSums.version(hour)).toBe(0)
      expect(await usageSums.write({ hour, version: 0, sums: one })).toBe(true)
      expect(await usageSums.write({ hour, version: 0, sums: two })).toBe(false)
      expect(await usageSums.version(hour)).toBe(1)
      const read = { series: 'skill', from: hour, to: hour } as const
      expect(await usageSums.read(read)).toEqual(new Map([[hour, one.skill]]))
      expect(await usageSums.write({ hour, version: 1, sums: two })).toBe(true)
      expect(await usageSums.read(read)).toEqual(new Map([[hour, two.skill]]))
    })

    test('one of several writers at once is first', async () => {
      const { usageSums } = opened()
      const hour = freshHour()
      const written = await Promise.all(
        [1, 2, 3, 4].map(() => usageSums.write({ hour, version: 0, sums: sumsOf([rowOf()]) })),
      )
      expect(written.filter(Boolean)).toHaveLength(1)
      expect(await usageSums.version(hour)).toBe(1)
    })

    test('a span reads its hours, first and last included, of one series', async () => {
      const { usageSums } = opened()
      const from = freshHour()
      for (const hour of [from - 1, from, from + 2, from + 3]) {
        const sums = sumsOf([rowOf({ uid: `u-${hour}` })])
        await usageSums.write({ hour, version: 0, sums })
      }
      const users = await usageSums.read({ series: 'user', from, to: from + 2 })
      expect([...users].map(([hour, sums]) => [hour, sums.map(({ name }) => name)])).toEqual([
        [from, [`u-${from}`]],
        [from + 2, [`u-${from + 2}`]],
      ])
      const keys = await usageSums.read({ series: 'key', from, to: from })
      expect(keys.get(from)).toMatchObject([{ name: 'k-1', uid: `u-${from}`, settled: 1 }])
    })

    test('the sums of skills have the durations of successful calls of shared skills alone', async () => {
      const { usageSums } = opened()
      const hour = freshHour()
      const rows = [rowOf(), rowOf({ durationMs: 900 }), rowOf({ source: 'private' }), rowOf(BARE)]
      await usageSums.write({ hour, version: 0, sums: sumsOf(rows) })
      const read = await usageSums.readSkills({ from: hour, to: hour })
      expect(read.get(hour)?.map(({ durations, source }) => [source, durations])).toEqual([
        ['official', undefined],
        ['official', [13, 1, 48, 1]],
        ['private', undefined],
      ])
      const users = await usageSums.read({ series: 'user', from: hour, to: hour })
      expect(users.get(hour)?.[0]).not.toHaveProperty('durations')
    })

    test('sums that an earlier build wrote are read without durations', async () => {
      const { usageSums } = opened()
      const hour = freshHour()
      const sums = sumsOf([rowOf()])
      const skill = sums.skill.map(({ durations: _none, ...sum }) => sum)
      await usageSums.write({ hour, version: 0, sums: { ...sums, skill } })
      expect((await usageSums.readSkills({ from: hour, to: hour })).get(hour)).toEqual(skill)
    })

    test('an hour of 10,000 skills with every duration is read as it was written', async () => {
      const { usageSums } = opened()
      const hour = freshHour()
      const durations = Array.from({ length: 77 }, (_, bucket) => [bucket, 1000 + bucket]).flat()
      const skill = Array.from({ length: 10_000 }, (_, index) => ({
        ...(sumsOf([rowOf()]).skill[0] ?? { name: '' }),
        name: `sg_${index}_${freshName('')}`,
        durations,
      })) as HourSums['skill']
      await usageSums.write({ hour, version: 0, sums: { ...sumsOf([]), skill } })
      const read = await usageSums.readSkills({ from: hour, to: hour })
      expect(read.get(hour)).toEqual(skill)
    })

    test('an hour of 7,000 users is read as it was written', async () => {
      const { usageSums } = opened()
      const hour = freshHour()
      const rows = Array.from({ length: 7_000 }, (_, index) => rowOf({ uid: `u-${index}` }))
      const sums = sumsOf(rows)
      await usageSums.write({ hour, version: 0, sums })
      const read = await usageSums.read({ series: 'user', from: hour, to: hour })
      expect(read.get(hour)).toEqual(sums.user)
    })
  })
}

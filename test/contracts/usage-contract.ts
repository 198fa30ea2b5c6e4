/** Contract of the ports UsagePages and UsageSums. */
import { describe, expect, test } from 'vitest'
import type { CallRow } from '../../core/usage/call-row.ts'
import type { NewPart } from '../../core/usage/detail-parts.ts'
import { LEVELS, type Period } from '../../core/usage/periods.ts'
import type { UsagePage } from '../../core/usage/usage-page.ts'
import type { UsageSum } from '../../core/usage/usage-sum.ts'
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

    test.each(LEVELS)('the head of a level only moves forward: %s', async (level) => {
      const { usageSums } = opened()
      await usageSums.startHeads({ hour: 0, day: 0, month: 0 })
      const from = (await usageSums.readHead(level))?.closed ?? 0
      await usageSums.moveHead(level, { closed: from + 5 })
      const first = await usageSums.readHead(level)
      expect(first?.closed).toBe(from + 5)
      await usageSums.moveHead(level, { rolled: from + 3 })
      await usageSums.moveHead(level, { closed: from + 4 })
      await usageSums.moveHead(level, { rolled: from + 2 })
      const rolled = Math.max(first?.rolled ?? 0, from + 3)
      expect(await usageSums.readHead(level)).toEqual({ closed: from + 5, rolled })
    })

    test('heads are started once, all together', async () => {
      const { usageSums } = opened()
      await usageSums.startHeads({ hour: 0, day: 0, month: 0 })
      const before = await usageSums.readHead('day')
      await usageSums.startHeads({ hour: 900_000, day: 40_000, month: 30_000 })
      expect(await usageSums.readHead('day')).toEqual(before)
    })

    test('the head keeps the place up to which a period is written', async () => {
      const { usageSums } = opened()
      await usageSums.startHeads({ hour: 0, day: 0, month: 0 })
      await usageSums.moveHead('month', { closed: 30_000 })
      await usageSums.markPart('month', { index: 30_001, from: 'u-5 ' })
      await usageSums.markPart('month', { index: 30_001, from: 'u-7 ' })
      await usageSums.moveHead('month', { rolled: 30_000 })
      const part = { index: 30_001, from: 'u-7 ' }
      expect(await usageSums.readHead('month')).toEqual({ closed: 30_000, rolled: 30_000, part })
    })

    test('the sums of skills of a period are written over their own version only', async () => {
      const { usageSums } = opened()
      const period = freshPeriod()
      const [one, two] = [sumsOf([rowOf()]).skills, sumsOf([rowOf(), rowOf(BARE)]).skills]
      expect(await usageSums.version(period)).toBe(0)
      expect(await usageSums.writeSkills({ period, version: 0, sums: one })).toBe(true)
      expect(await usageSums.writeSkills({ period, version: 0, sums: two })).toBe(false)
      expect(await usageSums.version(period)).toBe(1)
      const read = { level: period.level, from: period.index, to: period.index }
      expect(await usageSums.readSkills(read)).toEqual(new Map([[period.index, one]]))
      expect(await usageSums.writeSkills({ period, version: 1, sums: two })).toBe(true)
      expect(await usageSums.readSkills(read)).toEqual(new Map([[period.index, two]]))
    })

    test('one of several writers at once is first', async () => {
      const { usageSums } = opened()
      const period = freshPeriod()
      const sums = sumsOf([rowOf()]).skills
      const written = await Promise.all(
        [1, 2, 3, 4].map(() => usageSums.writeSkills({ period, version: 0, sums })),
      )
      expect(written.filter(Boolean)).toHaveLength(1)
      expect(await usageSums.version(period)).toBe(1)
    })

    test('a span reads its periods, first and last included, of one level', async () => {
      const { usageSums } = opened()
      const from = freshHour()
      for (const index of [from - 1, from, from + 2, from + 3]) {
        const sums = sumsOf([rowOf({ skillId: `sg_${index}` })]).skills
        await usageSums.writeSkills({ period: { level: 'hour', index }, version: 0, sums })
      }
      const other = { level: 'day', index: from } as const
      await usageSums.writeSkills({ period: other, version: 0, sums: sumsOf([rowOf()]).skills })
      const read = await usageSums.readSkills({ level: 'hour', from, to: from + 2 })
      expect([...read].map(([index, sums]) => [index, sums.map(({ name }) => name)])).toEqual([
        [from, [`sg_${from}`]],
        [from + 2, [`sg_${from + 2}`]],
      ])
    })

    test('the sums of skills have the durations of successful calls of shared skills alone', async () => {
      const { usageSums } = opened()
      const period = freshPeriod()
      const rows = [rowOf(), rowOf({ durationMs: 900 }), rowOf({ source: 'private' }), rowOf(BARE)]
      await usageSums.writeSkills({ period, version: 0, sums: sumsOf(rows).skills })
      const read = await usageSums.readSkills(rangeOf(period))
      expect(read.get(period.index)?.map(({ durations, source }) => [source, durations])).toEqual([
        ['official', undefined],
        ['official', [13, 1, 48, 1]],
        ['private', undefined],
      ])
    })

    test('an hour of 10,000 skills with every duration is read as it was written', async () => {
      const { usageSums } = opened()
      const period = freshPeriod()
      const durations = Array.from({ length: 77 }, (_, bucket) => [bucket, 1000 + bucket]).flat()
      const sums = Array.from({ length: 10_000 }, (_, index) => ({
        ...(sumsOf([rowOf()]).skills[0] ?? { name: '' }),
        name: `sg_${index}_${freshName('')}`,
        durations,
      })) as UsageSum[]
      await usageSums.writeSkills({ period, version: 0, sums })
      expect((await usageSums.readSkills(rangeOf(period))).get(period.index)).toEqual(sums)
    })
  })

  describe(`${name}: details of calls`, () => {
    const opened = openedPorts(makePorts)

    test('a period without parts has an empty one of all keys', async () => {
      const period = freshPeriod()
      expect(await opened().usageSums.parts({ period, from: 'u', to: 'v', limit: 5 })).toEqual([
        { from: '', to: undefined, version: 0, details: [] },
      ])
    })

    test('a part is divided once, by the writer of its version', async () => {
      const { usageSums } = opened()
      const period = freshPeriod()
      const before = { from: '', version: 0 }
      const all = [partOf('', 'b', 'a'), partOf('b', 'd', 'b', 'c'), partOf('d', undefined, 'd')]
      expect(await usageSums.replacePart({ period, before, parts: nonEmpty(all) })).toBe(true)
      expect(await usageSums.replacePart({ period, before, parts: nonEmpty(all) })).toBe(false)
      const stored = all.map((part) => ({ ...part, version: 1 }))
      const read = { period, from: '', to: undefined, limit: 10 }
      expect(await usageSums.parts(read)).toEqual(stored)
      const middle = nonEmpty([partOf('b', 'c', 'b'), partOf('c', 'd', 'c')])
      const second = { period, before: { from: 'b', version: 1 }, parts: middle }
      expect(await usageSums.replacePart(second)).toBe(true)
      expect(await usageSums.replacePart(second)).toBe(false)
      const parts = await usageSums.parts(read)
      expect(parts.map(({ from, to, version }) => [from, to, version])).toEqual([
        ['', 'b', 1],
        ['b', 'c', 2],
        ['c', 'd', 2],
        ['d', undefined, 1],
      ])
    })

    test('one of several writers of a part at once is first', async () => {
      const { usageSums } = opened()
      const period = freshPeriod()
      const written = await Promise.all(
        ['a', 'b', 'c', 'd'].map((uid) => {
          const parts = nonEmpty([partOf('', uid, 'A'), partOf(uid, undefined, uid)])
          return usageSums.replacePart({ period, before: { from: '', version: 0 }, parts })
        }),
      )
      expect(written.filter(Boolean)).toHaveLength(1)
      const parts = await usageSums.parts({ period, from: '', to: undefined, limit: 9 })
      expect(parts.map(({ from, to }) => [from, to])).toEqual([
        ['', parts[1]?.from],
        [parts[1]?.from, undefined],
      ])
    })

    test('a range reads the part that has its first key, and those up to its end or the limit', async () => {
      const { usageSums } = opened()
      const period = freshPeriod()
      const names = ['a', 'b', 'c', 'd', 'e']
      const all = names.map((uid, at) => partOf(at === 0 ? '' : uid, names[at + 1], uid))
      await usageSums.replacePart({
        period,
        before: { from: '', version: 0 },
        parts: nonEmpty(all),
      })
      const read = async (from: string, to: string | undefined, limit: number) =>
        (await usageSums.parts({ period, from, to, limit })).map((part) => part.from)
      expect(await read('b1', 'd', 9)).toEqual(['b', 'c'])
      expect(await read('b1', 'd1', 9)).toEqual(['b', 'c', 'd'])
      expect(await read('b', 'b9', 9)).toEqual(['b'])
      expect(await read('', undefined, 3)).toEqual(['', 'b', 'c'])
      expect(await read('z', undefined, 3)).toEqual(['e'])
    })
  })
}

function freshPeriod(): Period {
  return { level: 'hour', index: freshHour() }
}

function rangeOf({ index, level }: Period) {
  return { level, from: index, to: index }
}

function partOf(from: string, to: string | undefined, ...uids: readonly string[]): NewPart {
  return { from, to, details: uids.flatMap((uid) => sumsOf([rowOf({ uid })]).details) }
}

function nonEmpty(parts: readonly NewPart[]): [NewPart, ...NewPart[]] {
  const [first, ...others] = parts
  if (first === undefined) throw new Error('a part is needed')
  return [first, ...others]
}

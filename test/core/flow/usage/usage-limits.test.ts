/** What one request for sums or statements reads is limited: at each limit it answers, one past it is refused. */
import { expect, test } from 'vitest'
import { nodeDigests } from '../../../../adapters/crypto/node-digests.ts'
import { openLocalStore } from '../../../../adapters/dynamodb/local-store.ts'
import { readUsage } from '../../../../core/flow/usage/read-usage.ts'
import { recordCalls } from '../../../../core/flow/usage/record-calls.ts'
import { listStatements } from '../../../../core/flow/users/list-statements.ts'
import type { UsageSums } from '../../../../core/ports/usage.ts'
import {
  STATEMENTS_PAGE_MAX,
  USAGE_DAYS_MS_MAX,
  USAGE_PARTS_MAX,
  USAGE_ROWS_MAX,
  USAGE_SPAN_MS_MAX,
} from '../../../../core/usage/limits.ts'
import { toHour } from '../../../../core/usage/slots.ts'
import { settledOf } from '../../../contracts/fresh.ts'
import { manualClock } from '../manual-clock.ts'

const START_MS = Date.UTC(2026, 9, 30)
const HOUR_MS = 3_600_000

function openWorld() {
  const clock = manualClock()
  clock.jump(START_MS - clock.nowMs())
  return { clock, digests: nodeDigests(), ...openLocalStore({ clock }).ports }
}

test.each([
  ['month', USAGE_SPAN_MS_MAX],
  ['day', USAGE_DAYS_MS_MAX],
] as const)('sums by %s cover a span of %i ms, and none that is longer', async (by, maxMs) => {
  const ports = openWorld()
  const sinceMs = Date.UTC(2021, 0, 1)
  const ask = (untilMs: number) =>
    readUsage(ports, { by: [by], since: String(sinceMs), until: String(untilMs) })
  expect(await ask(sinceMs + maxMs)).toMatchObject({ ok: true })
  expect(await ask(sinceMs + maxMs + 1)).toMatchObject({
    ok: false,
    error: { code: 'malformed', detail: expect.stringContaining(`${maxMs / 86_400_000} days`) },
  })
})

const SPAN = { since: String(START_MS), until: String(START_MS + HOUR_MS) }

/** A world in which one hour has this many sums of skills. */
async function withSkills(count: number) {
  const ports = openWorld()
  await recordCalls(ports, [{ ...settledOf('ada', 'c1', 1), createdAtMs: START_MS }])
  ports.clock.jump(2 * HOUR_MS)
  await recordCalls(ports, [])
  const period = { level: 'hour', index: toHour(START_MS) } as const
  const version = await ports.usageSums.version(period)
  const sum = { settled: 1, refunded: 0, charged: 1, givenBack: 0, durationMs: 1, reasons: {} }
  const sums = Array.from({ length: count }, (_, at) => ({ ...sum, name: `sg_${at}` }))
  expect(await ports.usageSums.writeSkills({ period, version, sums })).toBe(true)
  return ports
}

test('an answer has as many entries as the limit says, and is refused with one more', async () => {
  for (const [count, ok] of [
    [USAGE_ROWS_MAX, true],
    [USAGE_ROWS_MAX + 1, false],
  ] as const) {
    const ports = await withSkills(count)
    expect((await readUsage(ports, { by: ['skill'], ...SPAN })).ok).toBe(ok)
  }
})

test('a request reads as many stored parts as the limit says, and is refused with one more', async () => {
  for (const [count, ok] of [
    [USAGE_PARTS_MAX, true],
    [USAGE_PARTS_MAX + 1, false],
  ] as const) {
    const ports = await withSkills(1)
    const keyAt = (at: number) => (at === 0 ? '' : `k${String(at).padStart(6, '0')}`)
    const usageSums: UsageSums = {
      ...ports.usageSums,
      parts: async ({ from, limit }) => {
        const first = from === '' ? 0 : Number(from.slice(1))
        return Array.from({ length: Math.min(limit, count - first) }, (_, at) => ({
          from: keyAt(first + at),
          to: first + at + 1 === count ? undefined : keyAt(first + at + 1),
          version: 1,
          details: [],
        }))
      },
    }
    expect((await readUsage({ ...ports, usageSums }, { by: ['user'], ...SPAN })).ok).toBe(ok)
  }
})

test('a page of statements has as many users as the limit says, and no more are asked for', async () => {
  const ports = openWorld()
  const month = new Date(ports.clock.nowMs()).toISOString().slice(0, 7)
  const ask = async (limit: number) =>
    (await listStatements(ports, { month, limit: String(limit), cursor: undefined })).ok
  expect([await ask(STATEMENTS_PAGE_MAX), await ask(STATEMENTS_PAGE_MAX + 1)]).toEqual([
    true,
    false,
  ])
})

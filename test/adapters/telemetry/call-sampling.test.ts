/** Which calls have a line in the log, and for how many calls a line stands. */
import { describe, expect, test } from 'vitest'
import { weighCallLine } from '../../../adapters/telemetry/call-sampling.ts'
import { makeJsonLog } from '../../../adapters/telemetry/json-log.ts'
import { makeCallId } from '../../../core/call/call-id.ts'
import type { CallLine } from '../../../core/ports/outside.ts'

const NOON_MS = Date.UTC(2026, 10, 21, 12)
const SUCCESS: CallLine = {
  callId: 'c-1',
  uid: 'u-1',
  username: 'demo',
  skillId: 'sg_weather',
  source: 'official',
  outcome: 'settled',
  code: undefined,
  upstreamStatus: 200,
  upstreamMs: 40,
  durationMs: 50,
  held: 500_000,
  charged: 500_000,
  refunded: 0,
  remaining: 99_500_000,
}
const CALLS = Array.from({ length: 10_000 }, (_, index) => ({
  ...SUCCESS,
  callId: makeCallId(NOON_MS + index * 37, `id${index}`),
}))

describe('a line of a successful call', () => {
  test('stands for as many calls as are left out, so that weights add up to all calls', () => {
    const weights = CALLS.map((call) => weighCallLine(call, 10))
    expect([...new Set(weights)].sort()).toEqual([0, 10])
    const sum = weights.reduce((all, weight) => all + weight, 0)
    expect(Math.abs(sum - 10_000)).toBeLessThan(900)
  })

  test('is there for each call if nothing is sampled', () => {
    expect(CALLS.every((call) => weighCallLine(call, 1) === 1)).toBe(true)
  })

  test('is there or not by the id of its call alone', () => {
    const [call = SUCCESS] = CALLS
    const other = { ...call, uid: 'u-2', durationMs: 1, outcome: 'free' as const }
    expect(weighCallLine(other, 3)).toBe(weighCallLine(call, 3))
  })
})

test.each([
  ['failed', { outcome: 'refunded', code: 'upstream_failed' }],
  ['was refused', { outcome: 'refused', code: 'rate_limited' }],
  ['took 2 s', { durationMs: 2_000 }],
  ['was free and failed', { outcome: 'free', code: 'timed_out' }],
] as const)('a call that %s always has a line of its own', (_what, more) => {
  expect(CALLS.every((call) => weighCallLine({ ...call, ...more }, 1_000) === 1)).toBe(true)
})

test('a call that took less than 2 s may be left out', () => {
  expect(CALLS.some((call) => weighCallLine({ ...call, durationMs: 1_999 }, 1_000) === 0)).toBe(
    true,
  )
})

test('metrics count the calls that have no line, and a line says its weight', () => {
  const lines: string[] = []
  const log = makeJsonLog({
    write: (line) => lines.push(line),
    clock: { nowMs: () => NOON_MS },
    metrics: { stage: 'prod', door: 'mcp' },
    callSampling: 10,
  })
  const some = CALLS.slice(0, 20)
  for (const call of some) log.call(call)
  log.call({ ...SUCCESS, outcome: 'refunded', code: 'timed_out' })
  const events = lines.map((line) => JSON.parse(line))
  const calls = events.filter(({ event }) => event === 'call')
  const counted = events
    .filter(({ event }) => event === 'metrics')
    .reduce((sum, { Calls }) => sum + Calls, 0)
  expect(calls.length).toBeLessThan(20)
  expect(calls.filter(({ outcome }) => outcome === 'settled').map(({ weight }) => weight)).toEqual(
    some.filter((call) => weighCallLine(call, 10) === 10).map(() => 10),
  )
  expect(calls.at(-1)).not.toHaveProperty('weight')
  // The first lines are written at once; the sums of the rest wait in the process.
  expect(counted).toBe(20)
})

/** Metrics of calls are added up while a process is busy, and none is counted twice. */
import { expect, test } from 'vitest'
import {
  METRIC_VALUES_MAX,
  METRIC_WRITE_EVERY_MS,
  METRIC_WRITES_MAX,
  makeMetricSums,
} from '../../../adapters/telemetry/call-metrics.ts'
import { makeJsonLog } from '../../../adapters/telemetry/json-log.ts'
import type { MetricValues } from '../../../adapters/telemetry/metrics-of.ts'

function ready() {
  let nowMs = 1_000_000
  const add = makeMetricSums({ nowMs: () => nowMs })
  const wait = (ms: number) => {
    nowMs += ms
  }
  return { add, wait }
}

const SETTLED: MetricValues = {
  values: { Calls: 1, UpstreamLatencyMs: 20, CreditsHeld: 0.1, CreditsSettled: 0.1 },
  dimensions: { Outcome: 'settled' },
}
const REFUSED: MetricValues = {
  values: { Calls: 1, Refusals: 1, UpstreamLatencyMs: undefined },
  dimensions: { Outcome: 'refused', Code: 'rate_limited' },
}

/** A process that has no write left. */
function busy() {
  const { add, wait } = ready()
  for (let made = 0; made < METRIC_WRITES_MAX; made += 1) expect(add(SETTLED)).toHaveLength(1)
  return { add, wait }
}

test('the first 20 calls are written at once, and the next one waits 5 s', () => {
  expect([METRIC_WRITES_MAX, METRIC_WRITE_EVERY_MS]).toEqual([20, 5_000])
  const { add, wait } = busy()
  expect(add(SETTLED)).toEqual([])
  wait(METRIC_WRITE_EVERY_MS - 1)
  expect(add(SETTLED)).toEqual([])
  wait(1)
  expect(add(SETTLED)).toEqual([
    {
      dimensions: { Outcome: 'settled' },
      values: {
        Calls: 3,
        UpstreamLatencyMs: [20, 20, 20],
        CreditsHeld: 0.3,
        CreditsSettled: 0.3,
      },
    },
  ])
  expect(add(SETTLED)).toEqual([])
})

test('a pause gives no more writes than a process has that was quiet', () => {
  const { add, wait } = busy()
  wait(1_000 * METRIC_WRITE_EVERY_MS)
  for (let made = 0; made < METRIC_WRITES_MAX; made += 1) expect(add(SETTLED)).toHaveLength(1)
  expect(add(SETTLED)).toEqual([])
})

test('one write has all outcomes that were added up, each with its own sums', () => {
  const { add, wait } = busy()
  add(SETTLED)
  add(REFUSED)
  add(SETTLED)
  wait(METRIC_WRITE_EVERY_MS)
  expect(add(REFUSED)).toEqual([
    {
      dimensions: SETTLED.dimensions,
      values: { Calls: 2, UpstreamLatencyMs: [20, 20], CreditsHeld: 0.2, CreditsSettled: 0.2 },
    },
    { dimensions: REFUSED.dimensions, values: { Calls: 2, Refusals: 2 } },
  ])
})

test('both times of a call keep their single values, for percentiles', () => {
  const { add, wait } = busy()
  const timed: MetricValues = {
    values: { Calls: 1, UpstreamLatencyMs: 20, GatewayLatencyMs: 7 },
    dimensions: { Outcome: 'settled', Door: 'mcp' },
  }
  add(timed)
  wait(METRIC_WRITE_EVERY_MS)
  expect(add(timed)).toEqual([
    {
      dimensions: { Outcome: 'settled', Door: 'mcp' },
      values: { Calls: 2, UpstreamLatencyMs: [20, 20], GatewayLatencyMs: [7, 7] },
    },
  ])
})

test('a hundred values are written, whether a write is left or not', () => {
  expect(METRIC_VALUES_MAX).toBe(100)
  const { add } = busy()
  for (let made = 1; made < METRIC_VALUES_MAX; made += 1) expect(add(SETTLED)).toEqual([])
  const [written] = add(SETTLED)
  expect(written?.values.UpstreamLatencyMs).toHaveLength(100)
  expect(written?.values.Calls).toBe(100)
})

test('a line that measures nothing takes no write', () => {
  const { add } = ready()
  expect(add({ values: {} })).toEqual([])
  for (let made = 0; made < METRIC_WRITES_MAX; made += 1) expect(add(SETTLED)).toHaveLength(1)
})

test('the sums of many calls are those of the single calls, to the last micro-credit', () => {
  const { add, wait } = ready()
  let [calls, held] = [0, 0]
  for (let made = 1; made <= 1_000; made += 1) {
    wait(made % 700)
    for (const { values } of add({ ...SETTLED, values: { Calls: 1, CreditsHeld: 0.000_001 } })) {
      calls += Number(values.Calls)
      held += Math.round(Number(values.CreditsHeld) * 1e6)
    }
  }
  wait(METRIC_WRITE_EVERY_MS)
  for (const { values } of add({ ...SETTLED, values: { Calls: 1, CreditsHeld: 0.000_001 } })) {
    calls += Number(values.Calls)
    held += Math.round(Number(values.CreditsHeld) * 1e6)
  }
  expect([calls, held]).toEqual([1_001, 1_001])
})

test('the line of a call has at most 400 bytes, with ids as the gateway makes them', () => {
  const lines: string[] = []
  const metrics = { stage: 'prod', door: 'mcp' }
  const log = makeJsonLog({ write: (line) => lines.push(line), clock: { nowMs: () => 1 }, metrics })
  log.call({
    callId: `1hq3k5v9a-${'x'.repeat(22)}`,
    uid: `usr_${'x'.repeat(16)}`,
    username: 'ada.lovelace',
    skillId: 'sg_weather_forecast',
    source: 'official',
    outcome: 'settled',
    code: undefined,
    upstreamStatus: 200,
    upstreamMs: 14_999,
    durationMs: 15_000,
    held: 500_000,
    charged: 500_000,
    refunded: 0,
    remaining: 99_500_000_000,
  })
  // Outside of a request there is no trace; this is its member.
  const trace = `"traceId":"${'0'.repeat(32)}",`
  expect(Buffer.byteLength(lines[1] ?? '') + trace.length).toBeLessThanOrEqual(400)
})

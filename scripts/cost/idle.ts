/**
 * What a stage costs in a month in which nobody calls: alarms, key, secrets, and the sweep's runs, whose reads
 * and writes are counted on the embedded store. `npm run cost` prints it; README.md and docs/deploy.md say it.
 */
import { openBenchStore } from '../../bench/lib/gateway.ts'
import { sweepDoor } from '../../lambdas/sweep/door.ts'
import { ALARMS } from '../../lib/alarms.ts'
import { DOOR_SIZES } from '../../lib/door-sizes.ts'
import { seriesOf } from '../../lib/watch-series.ts'

const MINUTE_MS = 60_000
/** 730 hours. */
const MINUTES_PER_MONTH = 43_800
/** The admin key and the internal secret. */
const SECRETS = 2
/** The first runs look back a day; after them each run does the same. */
const RUNS_TO_SETTLE = 12
/** Of the sweep: start, report and its own line (measured 366 bytes), with the metric inside. */
const LOG_BYTES_PER_RUN = 1_400
/** A warm run's few reads, by the sweep's `sweep-done` lines. */
const BILLED_MS_PER_RUN = 50

export type IdlePrices = {
  readonly usd: {
    readonly lambdaPerMillionRequests: number
    readonly lambdaArmPerGbSecond: number
    readonly writePerMillionUnits: number
    readonly readPerMillionUnits: number
    readonly logsPerGb: number
    readonly metricPerMonth: number
    readonly alarmPerMonth: number
    readonly secretPerMonth: number
    readonly keyPerMonth: number
  }
}

export type MonthlyItem = { readonly item: string; readonly usd: number }
export type SweepUnits = { readonly readUnits: number; readonly writeUnits: number }

/** Units of one run that finds nothing, counted by the store. */
export async function countIdleSweep(): Promise<SweepUnits> {
  const store = await openBenchStore()
  try {
    let nowMs = Date.UTC(2026, 10, 1)
    let units = { readUnits: 0, writeUnits: 0 }
    const clock = { nowMs: () => nowMs, sleep: () => Promise.resolve() }
    const ports = store.ports(clock, {
      consumed: ({ command, units: used }) => {
        const reads = command === 'get' || command === 'batchGet' || command === 'query'
        if (reads) units.readUnits += used
        else units.writeUnits += used
      },
    })
    const sweep = sweepDoor({ ...ports, log: { call: () => {}, note: () => {} } })
    for (let run = 0; run < RUNS_TO_SETTLE; run += 1) {
      units = { readUnits: 0, writeUnits: 0 }
      await sweep()
      nowMs += MINUTE_MS
    }
    return units
  } finally {
    await store.stop()
  }
}

export function idleMonth({ readUnits, writeUnits }: SweepUnits, { usd }: IdlePrices) {
  const metrics = ALARMS.flatMap(({ watched }) => seriesOf(watched)).length
  const gbSeconds = (DOOR_SIZES.sweep.memoryMb / 1024) * (BILLED_MS_PER_RUN / 1000)
  const run =
    usd.lambdaPerMillionRequests / 1e6 +
    gbSeconds * usd.lambdaArmPerGbSecond +
    (readUnits * usd.readPerMillionUnits + writeUnits * usd.writePerMillionUnits) / 1e6 +
    (LOG_BYTES_PER_RUN * usd.logsPerGb) / 1e9
  const items: readonly MonthlyItem[] = [
    { item: `${ALARMS.length} alarms over ${metrics} metrics`, usd: metrics * usd.alarmPerMonth },
    { item: 'KMS key', usd: usd.keyPerMonth },
    { item: 'two secrets', usd: SECRETS * usd.secretPerMonth },
    { item: 'the one metric that the sweep sends', usd: usd.metricPerMonth },
    {
      item: 'sweep: 43,800 runs, their reads, their log lines',
      usd: MINUTES_PER_MONTH * run,
    },
  ]
  return { items, usd: items.reduce((sum, { usd: one }) => sum + one, 0) }
}

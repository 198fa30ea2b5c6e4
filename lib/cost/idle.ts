/**
 * Computes the cost of a month without calls: alarms, key, secrets, and the sweep's runs, whose
 * reads and writes are counted on the embedded store; and the series of metrics that calls send.
 * `npm run cost` prints it; README.md and docs/cost.md state it.
 */
import { METRICS } from '../../adapters/telemetry/names.ts'
import { ALARMS, COMPOSITES } from '../alarms.ts'
import { DOOR_SIZES } from '../door-sizes.ts'
import { listSeries } from '../watch-series.ts'
import type { Units } from './model.ts'

/** Minutes of 730 hours. */
const MINUTES_PER_MONTH = 43_800
/** The admin key, the internal secret, and the key of the canary user. */
const SECRETS = 3
/**
 * Log bytes of one sweep: start, report and its own line (measured 366 bytes), with the metric
 * inside.
 */
const LOG_BYTES_PER_RUN = 1_400
/** Billed time of a warm run with few reads, by the sweep's `sweep-done` lines. */
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
    readonly compositeAlarmPerMonth: number
    readonly secretPerMonth: number
    readonly keyPerMonth: number
  }
}

export type MonthlyItem = { readonly item: string; readonly usd: number }

export function computeIdleMonth({ readUnits, writeUnits }: Units, { usd }: IdlePrices) {
  const metrics = ALARMS.flatMap(({ watched }) => listSeries(watched)).length
  const gbSeconds = (DOOR_SIZES.sweep.memoryMb / 1024) * (BILLED_MS_PER_RUN / 1000)
  const run =
    usd.lambdaPerMillionRequests / 1e6 +
    gbSeconds * usd.lambdaArmPerGbSecond +
    (readUnits * usd.readPerMillionUnits + writeUnits * usd.writePerMillionUnits) / 1e6 +
    (LOG_BYTES_PER_RUN * usd.logsPerGb) / 1e9
  const items: readonly MonthlyItem[] = [
    { item: `${ALARMS.length} alarms over ${metrics} metrics`, usd: metrics * usd.alarmPerMonth },
    {
      item: `${COMPOSITES.length} composite alarms`,
      usd: COMPOSITES.length * usd.compositeAlarmPerMonth,
    },
    { item: 'KMS key', usd: usd.keyPerMonth },
    { item: 'three secrets', usd: SECRETS * usd.secretPerMonth },
    { item: 'the one metric that the sweep sends', usd: usd.metricPerMonth },
    {
      item: 'sweep: 43,800 runs, their reads, their log lines',
      usd: MINUTES_PER_MONTH * run,
    },
  ]
  return { items, usd: items.reduce((sum, { usd: one }) => sum + one, 0) }
}

/** Values of the dimension of the metric Calls. */
const OUTCOMES = 4
/** Doors whose cold starts are counted: sse, messages, mcp, execute. */
const DOORS_OF_CALLS = 4
/** Doors that make calls and measure their own time: messages, mcp, execute. */
const DOORS_THAT_CALL = 3
/** The sweep's metric, and that of secrets that cannot be read, which no month should see. */
const METRICS_WITHOUT_CALLS = 2

/**
 * Returns the cost of the series that calls send. A series costs by the month as soon as it has
 * values; the sweep's own is in {@link computeIdleMonth}.
 */
export function computeMetricsMonth({
  assumptions,
  usd,
}: Pick<IdlePrices, 'usd'> & {
  readonly assumptions: { readonly refusalCodes: number }
}): MonthlyItem {
  const undivided = Object.keys(METRICS).length - METRICS_WITHOUT_CALLS
  const divided = OUTCOMES + DOORS_OF_CALLS + DOORS_THAT_CALL + assumptions.refusalCodes
  const series = undivided + divided
  return { item: `${series} series of metrics that calls send`, usd: series * usd.metricPerMonth }
}

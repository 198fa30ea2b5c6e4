/**
 * Adds up metrics of calls in a process. A busy process writes them every few seconds in separate
 * lines, so that the line of each call stays short (docs/design/usage.md#metrics-of-calls).
 *
 *   a write is available (20, one more each 5 s) ─▶ all sums are written now
 *   no write is available ────────────────────────▶ the sums wait for a later call
 * So the metrics of a quiet process are written at once. Sums of the last 5 s of a busy process are
 * lost if no call follows and AWS ends the process. The ledger, not metrics, records money.
 */
import type { Clock } from '../../core/ports/outside.ts'
import type { MetricValues } from './metrics-of.ts'

/** Writes that are available after a quiet time. */
export const METRIC_WRITES_MAX = 20
/** One more write becomes available after this time. */
export const METRIC_WRITE_EVERY_MS = 5_000
/** Values of one metric that CloudWatch accepts in a line. */
export const METRIC_VALUES_MAX = 100

type Values = { [name: string]: number | readonly number[] }

/** Returns the sums to write now, one for each combination of dimensions. */
export type AddMetrics = (measured: MetricValues) => readonly MetricValues[]

export function makeMetricSums(clock: Pick<Clock, 'nowMs'>): AddMetrics {
  let kept = new Map<string, { readonly dimensions: MetricValues['dimensions']; values: Values }>()
  let writes = METRIC_WRITES_MAX
  let atMs = clock.nowMs()
  return ({ dimensions, values }) => {
    if (Object.values(values).every((value) => value === undefined)) return []
    const key = JSON.stringify(dimensions)
    const sum = addValues(kept.get(key)?.values ?? {}, values)
    kept.set(key, { dimensions, values: sum })
    const nowMs = clock.nowMs()
    writes = Math.min(METRIC_WRITES_MAX, writes + Math.max(0, nowMs - atMs) / METRIC_WRITE_EVERY_MS)
    atMs = nowMs
    if (writes < 1 && !isFull(sum)) return []
    writes = Math.max(0, writes - 1)
    const all = [...kept.values()]
    kept = new Map()
    return all as readonly MetricValues[]
  }
}

/** The metrics of calls whose percentiles are shown. */
const TIMES: ReadonlySet<string> = new Set(['GatewayLatencyMs', 'UpstreamLatencyMs'])

/** Adds counts and amounts; keeps each time, for percentiles. */
function addValues(before: Values, values: MetricValues['values']): Values {
  const sum = { ...before }
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) continue
    const isSum = typeof value === 'number' && !TIMES.has(name)
    const known = [sum[name] ?? []].flat()
    sum[name] = isSum ? roundCredits((known[0] ?? 0) + value) : [...known, ...[value].flat()]
  }
  return sum
}

/** Rounds to six decimals, which sums of floating-point numbers do not keep. */
function roundCredits(value: number): number {
  return Math.round(value * 1e6) / 1e6
}

function isFull(values: Values): boolean {
  return Object.values(values).some(
    (value) => Array.isArray(value) && value.length >= METRIC_VALUES_MAX,
  )
}

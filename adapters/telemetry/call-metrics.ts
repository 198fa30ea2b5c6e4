/**
 * Metrics of calls, added up in a process: a busy one writes them every few seconds, in lines of their own, and not with
 * each call, whose line stays short (ADR 0068).
 *
 *   a write is left (20, one more each 5 s) ─▶ all that was added up is written now
 *   none is left ───────────────────────────▶ it waits for a later call
 * So the calls of a quiet process are written at once. What a busy process adds up in its last 5 s is lost, if no call
 * follows and AWS ends it: metrics watch, and the ledger has the money.
 */
import type { Clock } from '../../core/ports/outside.ts'
import type { MetricValues } from './metrics-of.ts'

/** Writes of a process that has been quiet for long. */
export const METRIC_WRITES_MAX = 20
/** After so long there is one more. */
export const METRIC_WRITE_EVERY_MS = 5_000
/** The most values of one metric that CloudWatch takes in a line. */
export const METRIC_VALUES_MAX = 100

type Values = { [name: string]: number | readonly number[] }

/** Returns what is to be written now, one for each combination of dimensions. */
export type AddMetrics = (measured: MetricValues) => readonly MetricValues[]

export function callMetrics(clock: Pick<Clock, 'nowMs'>): AddMetrics {
  let kept = new Map<string, { readonly dimensions: MetricValues['dimensions']; values: Values }>()
  let writes = METRIC_WRITES_MAX
  let atMs = clock.nowMs()
  return ({ dimensions, values }) => {
    if (Object.values(values).every((value) => value === undefined)) return []
    const key = JSON.stringify(dimensions)
    const sum = added(kept.get(key)?.values ?? {}, values)
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

/** Counts and amounts are summed; of times each is kept, for percentiles. */
function added(before: Values, values: MetricValues['values']): Values {
  const sum = { ...before }
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) continue
    const isSum = typeof value === 'number' && name !== 'UpstreamLatencyMs'
    const known = [sum[name] ?? []].flat()
    sum[name] = isSum ? credits((known[0] ?? 0) + value) : [...known, ...[value].flat()]
  }
  return sum
}

/** Amounts have six decimals, which sums of floating-point numbers do not keep. */
function credits(value: number): number {
  return Math.round(value * 1e6) / 1e6
}

function isFull(values: Values): boolean {
  return Object.values(values).some(
    (value) => Array.isArray(value) && value.length >= METRIC_VALUES_MAX,
  )
}

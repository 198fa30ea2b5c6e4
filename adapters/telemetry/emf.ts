/**
 * CloudWatch's embedded metric format, which turns a log line into metrics as well. Bound by
 * "Specification: Embedded metric format" of the CloudWatch user guide; sends nothing. The metadata
 * is as small as the format allows: no units, and one directive for all metrics that have the stage
 * alone, since every byte is logged (and billed) with every call.
 */
import type { DimensionName, MetricValues } from './metrics-of.ts'
import { METRIC_DIMENSIONS, METRICS_NAMESPACE } from './names.ts'

const MORE: { readonly [metric: string]: DimensionName | undefined } = METRIC_DIMENSIONS

/** The line as JSON, with its metrics as members of its root; unchanged when there are none. */
export function emfLine(
  fields: object,
  stage: string,
  measured: MetricValues,
  nowMs: number,
): string {
  const measuredValues = Object.entries(measured.values).filter(([, value]) => isMeasured(value))
  if (measuredValues.length === 0) return JSON.stringify(fields)
  const names = measuredValues.map(([name]) => name)
  const values = Object.fromEntries(measuredValues)
  const text = JSON.stringify({ ...fields, Stage: stage, ...measured.dimensions, ...values })
  return `${text.slice(0, -1)},"_aws":{"Timestamp":${nowMs},"CloudWatchMetrics":${directivesOf(names)}}}`
}

/** JSON has no other numbers, and the format takes no empty list. */
function isMeasured(value: number | readonly number[] | undefined): boolean {
  return typeof value === 'object' ? value.length > 0 : Number.isFinite(value)
}

/**
 * Cached by metric names: a line has one of a dozen combinations, and making one anew costs 1 µs.
 */
const written = new Map<string, string>()

function directivesOf(names: readonly string[]): string {
  const key = names.join()
  const known = written.get(key)
  if (known !== undefined) return known
  const plain = names.filter((name) => MORE[name] === undefined)
  const directives = names.flatMap((name) => {
    const more = MORE[name]
    return more === undefined ? [] : [directive([['Stage'], ['Stage', more]], [name])]
  })
  if (plain.length > 0) directives.push(directive([['Stage']], plain))
  const text = JSON.stringify(directives)
  written.set(key, text)
  return text
}

function directive(dimensions: readonly (readonly string[])[], names: readonly string[]): object {
  const Metrics = names.map((Name) => ({ Name }))
  return { Namespace: METRICS_NAMESPACE, Dimensions: dimensions, Metrics }
}

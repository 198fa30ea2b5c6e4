/**
 * CloudWatch's embedded metric format, which makes a log line also a source of metrics. Bound by
 * "Specification: Embedded metric format" of the CloudWatch user guide. The metadata is as small as
 * the format allows, because every byte is logged and billed with every call: there are no units,
 * and all metrics with only the stage share one directive.
 */
import type { DimensionName, MetricValues } from './metrics-of.ts'
import { METRIC_DIMENSIONS, METRICS_NAMESPACE } from './names.ts'

const FURTHER_DIMENSIONS: { readonly [metric: string]: DimensionName | undefined } =
  METRIC_DIMENSIONS

/**
 * The line as JSON, with its metrics as members of the root; without metadata if it has no metrics.
 */
export function writeEmfLine(
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
  return `${text.slice(0, -1)},"_aws":{"Timestamp":${nowMs},"CloudWatchMetrics":${writeDirectives(names)}}}`
}

/** False for NaN and infinity, which JSON does not have, and for an empty list. */
function isMeasured(value: number | readonly number[] | undefined): boolean {
  return typeof value === 'object' ? value.length > 0 : Number.isFinite(value)
}

/** Directives by metric names: there are a dozen combinations, and each costs 1 µs to make. */
const cachedDirectives = new Map<string, string>()

function writeDirectives(names: readonly string[]): string {
  const key = names.join()
  const known = cachedDirectives.get(key)
  if (known !== undefined) return known
  const plain = names.filter((name) => FURTHER_DIMENSIONS[name] === undefined)
  const directives = names.flatMap((name) => {
    const more = FURTHER_DIMENSIONS[name]
    return more === undefined ? [] : [makeDirective([['Stage'], ['Stage', more]], [name])]
  })
  if (plain.length > 0) directives.push(makeDirective([['Stage']], plain))
  const text = JSON.stringify(directives)
  cachedDirectives.set(key, text)
  return text
}

function makeDirective(
  dimensions: readonly (readonly string[])[],
  names: readonly string[],
): object {
  const Metrics = names.map((Name) => ({ Name }))
  return { Namespace: METRICS_NAMESPACE, Dimensions: dimensions, Metrics }
}

/**
 * The embedded metric format as a JSON Schema, written from the rules of "Specification: Embedded
 * metric format" (Amazon CloudWatch user guide, CloudWatch_Embedded_Metric_Format_Specification)
 * and its limits: 100 metrics a directive, 100 values a metric, 9 dimensions a set (AWS allows 30
 * by now; the older, smaller limit applies here), names of 1 to 255 characters. A schema cannot
 * express references to members of the root by name: `danglingReferences` checks them.
 */
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts'

const NAME: JsonObject = { type: 'string', minLength: 1, maxLength: 255 }

const METRIC: JsonObject = {
  type: 'object',
  required: ['Name'],
  additionalProperties: false,
  properties: {
    Name: NAME,
    Unit: {
      enum: ['Seconds', 'Microseconds', 'Milliseconds', 'Bytes', 'Percent', 'Count', 'None'],
    },
    StorageResolution: { enum: [1, 60] },
  },
}

const DIRECTIVE: JsonObject = {
  type: 'object',
  required: ['Namespace', 'Dimensions', 'Metrics'],
  additionalProperties: false,
  properties: {
    Namespace: NAME,
    Dimensions: {
      type: 'array',
      minItems: 1,
      items: { type: 'array', maxItems: 9, items: NAME },
    },
    Metrics: { type: 'array', minItems: 1, maxItems: 100, items: METRIC },
  },
}

export const EMF_SCHEMA: JsonObject = {
  type: 'object',
  required: ['_aws'],
  properties: {
    _aws: {
      type: 'object',
      required: ['Timestamp', 'CloudWatchMetrics'],
      additionalProperties: false,
      properties: {
        Timestamp: { type: 'integer', minimum: 0 },
        CloudWatchMetrics: { type: 'array', minItems: 1, items: DIRECTIVE },
      },
    },
  },
}

export type MetricSeen = {
  readonly name: string
  readonly dimensions: readonly (readonly string[])[]
}

/** All metrics of a line that fits {@link EMF_SCHEMA}. */
export function metricsIn(line: JsonObject): readonly MetricSeen[] {
  const { _aws } = line
  const directives = isJsonObject(_aws) ? listOf(_aws['CloudWatchMetrics']) : []
  return directives.filter(isJsonObject).flatMap((directive) => {
    const dimensions = listOf(directive['Dimensions']).map((set) => listOf(set).map(String))
    const metrics = listOf(directive['Metrics']).filter(isJsonObject)
    return metrics.map((metric) => ({ name: String(metric['Name']), dimensions }))
  })
}

/** Members that a line refers to and does not have: numbers for metrics, texts for dimensions. */
export function danglingReferences(line: JsonObject): readonly string[] {
  return metricsIn(line).flatMap(({ name, dimensions }) => [
    ...(isMeasurement(line[name]) ? [] : [`metric ${name}`]),
    ...dimensions.flat().flatMap((one) => (isText(line[one]) ? [] : [`dimension ${one}`])),
  ])
}

function isMeasurement(value: Json | undefined): boolean {
  if (!Array.isArray(value)) return typeof value === 'number'
  return value.length >= 1 && value.length <= 100 && value.every((one) => typeof one === 'number')
}

function isText(value: Json | undefined): boolean {
  return typeof value === 'string' && value !== ''
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : []
}

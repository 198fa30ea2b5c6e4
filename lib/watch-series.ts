/**
 * One series of numbers for an alarm or a widget, as plain data: its source, metric and statistic.
 * watch-metrics.ts turns it into CloudWatch's form. The gateway's own metrics are those of
 * adapters/telemetry/names.ts.
 */
import type { METRIC_DIMENSIONS, METRICS } from '../adapters/telemetry/names.ts'
import type { Door, FunctionName } from './doors.ts'
import type { LogCountName } from './log-counts.ts'

export type Table = 'gateway' | 'sessions'
export type OwnMetric = keyof typeof METRICS
/** Metrics with a dimension besides `Stage`; CloudWatch also keeps each under the stage alone. */
export type SplitMetric =
  | 'calls'
  | 'coldStarts'
  | 'gatewayLatency'
  | 'refusals'
  | 'secretsUnreadable'
export type Dimension = (typeof METRIC_DIMENSIONS)[keyof typeof METRIC_DIMENSIONS]

export type DoorMetric =
  | 'ConcurrentExecutions'
  | 'Duration'
  | 'Errors'
  | 'Invocations'
  | 'IteratorAge'
  | 'Throttles'
  | 'Url5xxCount'

/** Metrics of a table as a whole. */
export type TableMetric =
  | 'ConsumedReadCapacityUnits'
  | 'ConsumedWriteCapacityUnits'
  | 'ReadThrottleEvents'
  | 'WriteThrottleEvents'

/** Metrics that DynamoDB counts separately for each operation. */
export type OperationMetric = 'SuccessfulRequestLatency' | 'SystemErrors'
export type Operation = 'BatchGetItem' | 'GetItem' | 'PutItem' | 'Query' | 'UpdateItem'

export type ApiMetric = '4XXError' | '5XXError' | 'Count' | 'Latency'

export type Statistic = 'Average' | 'Maximum' | 'Minimum' | 'SampleCount' | 'Sum' | 'p50' | 'p99'

export type Target =
  | { readonly of: 'door'; readonly door: FunctionName; readonly metric: DoorMetric }
  | { readonly of: 'table'; readonly table: Table; readonly metric: TableMetric }
  | {
      readonly of: 'operation'
      readonly table: Table
      readonly operation: Operation
      readonly metric: OperationMetric
    }
  | { readonly of: 'api'; readonly metric: ApiMetric }
  | {
      readonly of: 'own'
      readonly metric: OwnMetric
      readonly by?: { readonly [D in Dimension]?: string }
    }
  | { readonly of: 'log-count'; readonly count: LogCountName }
  | { readonly of: 'claimed-concurrency' }
  | { readonly of: 'lost-news' }
  | { readonly of: 'log-bytes'; readonly door: Door }

export type Series = { readonly target: Target; readonly statistic: Statistic }

/**
 * An expression over series. `named` holds the series by their names in the expression, lower-case
 * as CloudWatch requires.
 */
export type Formula = {
  readonly expression: string
  readonly named: { readonly [name: string]: Series }
}

export function watchDoor(
  door: FunctionName,
  metric: DoorMetric,
  statistic: Statistic = 'Sum',
): Series {
  return { target: { of: 'door', door, metric }, statistic }
}

export function watchTable(table: Table, metric: TableMetric): Series {
  return { target: { of: 'table', table, metric }, statistic: 'Sum' }
}

export function watchOperation(
  table: Table,
  operation: Operation,
  metric: OperationMetric,
  statistic: Statistic = 'Sum',
): Series {
  return { target: { of: 'operation', table, operation, metric }, statistic }
}

export function watchApi(metric: ApiMetric, statistic: Statistic = 'Sum'): Series {
  return { target: { of: 'api', metric }, statistic }
}

export function watchOwn(metric: OwnMetric, statistic: Statistic = 'Sum'): Series {
  return { target: { of: 'own', metric }, statistic }
}

export function watchOwnBy(
  metric: OwnMetric,
  by: { readonly [D in Dimension]?: string },
  statistic: Statistic = 'Sum',
): Series {
  return { target: { of: 'own', metric, by }, statistic }
}

export function watchLogCount(count: LogCountName): Series {
  return { target: { of: 'log-count', count }, statistic: 'Sum' }
}

/**
 * Watches the concurrency of account and region that nobody can use any more: all reservations,
 * whether they are in use or not, and the executions of functions without one, of other programs
 * too. (https://docs.aws.amazon.com/lambda/latest/dg/monitoring-concurrency.html)
 */
export function watchClaimed(): Series {
  return { target: { of: 'claimed-concurrency' }, statistic: 'Maximum' }
}

/** Watches the batches of the table's stream that the usage function gave up. */
export function watchLostBatches(): Series {
  return { target: { of: 'lost-news' }, statistic: 'Maximum' }
}

export function isFormula(watched: Formula | Series): watched is Formula {
  return 'expression' in watched
}

/** Returns all single series of a formula, or the series itself. */
export function listSeries(watched: Formula | Series): readonly Series[] {
  return isFormula(watched) ? Object.values(watched.named) : [watched]
}

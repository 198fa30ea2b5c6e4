/**
 * Turns the plain data of alarms and widgets into CloudWatch metrics of one deployed stage. The
 * only place that spells namespaces and dimensions.
 */
import { Duration } from 'aws-cdk-lib'
import type * as apigateway from 'aws-cdk-lib/aws-apigateway'
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch'
import type * as lambda from 'aws-cdk-lib/aws-lambda'
import { METRIC_DIMENSIONS, METRICS, METRICS_NAMESPACE } from '../adapters/telemetry/names.ts'
import type { Door } from './doors.ts'
import {
  type Formula,
  isFormula,
  type Series,
  type SplitMetric,
  type Target,
} from './watch-series.ts'

/** The resources of one stage that are watched. */
export type WatchedResources = {
  readonly stageName: string
  /** `caller` only in a stage with private hosts. */
  readonly doors: { readonly [D in Door]: lambda.Function } & { readonly caller?: lambda.Function }
  readonly api: apigateway.RestApi
  readonly lostNews: { readonly queueName: string }
  readonly gatewayTable: { readonly tableName: string }
  readonly sessionsTable: { readonly tableName: string }
}

type MetricStyle = { readonly label?: string; readonly periodSec: number }

/** Returns the metric of a series, or the expression of a formula. */
export function toMetric(
  watched: WatchedResources,
  metric: Formula | Series,
  { label, periodSec }: MetricStyle,
): cloudwatch.IMetric {
  const period = Duration.seconds(periodSec)
  const named = label === undefined ? {} : { label }
  if (!isFormula(metric)) {
    const { statistic, target } = metric
    return new cloudwatch.Metric({ ...toAddress(watched, target), ...named, statistic, period })
  }
  const series = Object.entries(metric.named).map(([name, one]): [string, cloudwatch.IMetric] => [
    name,
    toMetric(watched, one, { periodSec }),
  ])
  const usingMetrics = Object.fromEntries(series)
  const { expression } = metric
  return new cloudwatch.MathExpression({ expression, usingMetrics, ...named, period })
}

/**
 * Returns an expression that draws one line for each value of the metric's dimension, because codes
 * come and go.
 */
export function toSearchExpression(
  { stageName }: Pick<WatchedResources, 'stageName'>,
  metric: SplitMetric,
  periodSec: number,
): cloudwatch.IMetric {
  const by = METRIC_DIMENSIONS[METRICS[metric]]
  const expression = `{${METRICS_NAMESPACE},Stage,${by}} MetricName="${METRICS[metric]}" Stage="${stageName}"`
  return new cloudwatch.SearchExpression({
    expression: `SEARCH('${expression}', 'Sum', ${periodSec})`,
    // The label is empty, so that each line is named by its own code.
    label: '',
    period: Duration.seconds(periodSec),
  })
}

/**
 * Returns the namespace of metrics made from log lines. Filters cannot add a dimension, so the
 * stage is in the namespace.
 */
export function getLogCountsNamespace(stageName: string): string {
  return `${METRICS_NAMESPACE}/${stageName}`
}

type Address = {
  readonly namespace: string
  readonly metricName: string
  readonly dimensionsMap?: { readonly [name: string]: string }
}

function toAddress(watched: WatchedResources, target: Target): Address {
  switch (target.of) {
    case 'door': {
      const fn = watched.doors[target.door]
      if (fn === undefined) throw new Error(`watch: this stage has no function ${target.door}`)
      return toAddressParts('AWS/Lambda', target.metric, { FunctionName: fn.functionName })
    }
    case 'table':
      return toAddressParts('AWS/DynamoDB', target.metric, {
        TableName: pickTable(watched, target).tableName,
      })
    case 'operation': {
      const { operation: Operation } = target
      const { tableName: TableName } = pickTable(watched, target)
      return toAddressParts('AWS/DynamoDB', target.metric, { TableName, Operation })
    }
    case 'api':
      return toAddressParts('AWS/ApiGateway', target.metric, { ApiName: watched.api.restApiName })
    case 'own':
      return toAddressParts(METRICS_NAMESPACE, METRICS[target.metric], {
        Stage: watched.stageName,
        ...target.by,
      })
    case 'log-count':
      return { namespace: getLogCountsNamespace(watched.stageName), metricName: target.count }
    case 'claimed-concurrency':
      return { namespace: 'AWS/Lambda', metricName: 'ClaimedAccountConcurrency' }
    case 'lost-news': {
      const { queueName: QueueName } = watched.lostNews
      return toAddressParts('AWS/SQS', 'ApproximateNumberOfMessagesVisible', { QueueName })
    }
    case 'log-bytes': {
      const { logGroupName: LogGroupName } = watched.doors[target.door].logGroup
      return toAddressParts('AWS/Logs', 'IncomingBytes', { LogGroupName })
    }
    default:
      return target satisfies never
  }
}

function toAddressParts(
  namespace: string,
  metricName: string,
  dimensionsMap: { [name: string]: string },
) {
  return { namespace, metricName, dimensionsMap }
}

function pickTable(
  watched: WatchedResources,
  { table }: { readonly table: 'gateway' | 'sessions' },
) {
  return table === 'gateway' ? watched.gatewayTable : watched.sessionsTable
}

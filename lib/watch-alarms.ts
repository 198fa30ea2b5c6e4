/** Makes the CloudWatch alarms of lib/alarms.ts, which holds thresholds and reasons. */
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch'
import type { Construct } from 'constructs'
import type { Alarm } from './alarm.ts'
import { alarmPrefix, type WatchedStage } from './alarm-topic.ts'
import { reservedInAll } from './reservations.ts'
import { metricOf, type WatchedResources } from './watch-metrics.ts'
import { isFormula } from './watch-series.ts'

export function alarmOf(
  scope: Construct,
  watched: WatchedResources,
  stage: WatchedStage,
  alarm: Alarm,
): cloudwatch.Alarm {
  const { name, periodSec, periods } = alarm
  const page = `docs/operations.md, Alarm: ${name}`
  return new cloudwatch.Alarm(scope, name, {
    alarmName: `${alarmPrefix(stage.name)}${name}`,
    alarmDescription: `${alarm.means} What to do: ${page}.`,
    // A label would turn a single metric into a list of metrics, which does not allow percentiles.
    metric: metricOf(
      watched,
      alarm.watched,
      isFormula(alarm.watched) ? { label: name, periodSec } : { periodSec },
    ),
    threshold: thresholdOf(alarm, stage),
    comparisonOperator: OPERATORS[alarm.is],
    evaluationPeriods: periods,
    datapointsToAlarm: alarm.wrong ?? periods,
    treatMissingData: MISSING[alarm.missing],
    // With a handful of values a p99 is the slowest of them, which means nothing.
    ...(isPercentile(alarm) ? { evaluateLowSampleCountPercentile: 'ignore' } : {}),
  })
}

const OPERATORS = {
  'at-least': cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
  below: cloudwatch.ComparisonOperator.LESS_THAN_THRESHOLD,
} as const

const MISSING = {
  breaching: cloudwatch.TreatMissingData.BREACHING,
  notBreaching: cloudwatch.TreatMissingData.NOT_BREACHING,
} as const

/**
 * A function with a reservation counts against it. Without one, sse counts on the stage's number, and mcp
 * shares with all others what the stage reserves for none.
 */
function thresholdOf({ threshold }: Alarm, stage: WatchedStage): number {
  if (typeof threshold === 'number') return threshold
  const { of, share } = threshold
  const { accountConcurrency, reservedConcurrency = {}, sseConcurrency } = stage
  if (of === 'account') return Math.floor(accountConcurrency * share)
  const reserved = reservedInAll(reservedConcurrency)
  const shared = of === 'sse' ? sseConcurrency : Math.max(1, accountConcurrency - reserved)
  return Math.floor((reservedConcurrency[of] ?? shared) * share)
}

function isPercentile({ watched }: Alarm): boolean {
  return !isFormula(watched) && /^p\d/.test(watched.statistic)
}

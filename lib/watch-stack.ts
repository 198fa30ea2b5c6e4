/**
 * The monitoring of a stage: counted log lines, alarms with their topic, one dashboard, a budget.
 * It changes nothing that it watches and can be removed alone. Its content is data in
 * lib/alarms.ts, lib/log-counts.ts and lib/dashboard-rows.ts. Each alarm has a runbook:
 * docs/operations.md, Alarms.
 */
import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib'
import * as budgets from 'aws-cdk-lib/aws-budgets'
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch'
import * as actions from 'aws-cdk-lib/aws-cloudwatch-actions'
import * as logs from 'aws-cdk-lib/aws-logs'
import type * as sns from 'aws-cdk-lib/aws-sns'
import type { Construct } from 'constructs'
import type { Alarm } from './alarm.ts'
import { getAlarmAddress } from './alarm-address.ts'
import { createAlarmTopic, getAlarmPrefix, type WatchedStage } from './alarm-topic.ts'
import { ALARMS } from './alarms.ts'
import { ALARMS_OF_CALLER } from './alarms-of-doors.ts'
import { ALARMS_OF_SYNTHETIC_CALLS } from './synthetic-calls.ts'
import { FUNCTIONS } from './doors.ts'
import { LOG_COUNTS, type LogCount } from './log-counts.ts'
import { sumReservations } from './reservations.ts'
import { addDashboard } from './watch-dashboard.ts'
import { getLogCountsNamespace, toMetric, type WatchedResources } from './watch-metrics.ts'
import { isFormula } from './watch-series.ts'

export type WatchStackProps = StackProps &
  Omit<WatchedResources, 'stageName'> & { readonly stage: WatchedStage }

export class WatchStack extends Stack {
  /** The topic that alarms notify. */
  readonly alarms: sns.Topic

  constructor(scope: Construct, id: string, props: WatchStackProps) {
    super(scope, id, props)
    const { stage } = props
    const watched: WatchedResources = { ...props, stageName: stage.name }
    countLogLines(this, watched)
    const topic = createAlarmTopic(this, stage)
    this.alarms = topic
    const wake = new actions.SnsAction(topic)
    const all = [
      ...ALARMS,
      ...(props.doors.caller === undefined ? [] : ALARMS_OF_CALLER),
      ...(stage.syntheticCalls ? ALARMS_OF_SYNTHETIC_CALLS : []),
    ]
    const alarms = all.map((alarm) => {
      const made = alarmOf(this, watched, stage, alarm)
      made.addAlarmAction(wake)
      return made
    })
    addDashboard(this, watched, alarms)
    addBudget(this, stage)
    this.outputs(watched, topic)
  }

  /** Outputs the values that the runbooks use. */
  private outputs({ api, doors }: WatchedResources, topic: sns.Topic): void {
    for (const door of FUNCTIONS) {
      const fn = doors[door]
      if (fn === undefined) continue
      const name = door.charAt(0).toUpperCase() + door.slice(1)
      new CfnOutput(this, `${name}Function`, { value: fn.functionName })
      new CfnOutput(this, `${name}Logs`, { value: fn.logGroup.logGroupName })
    }
    new CfnOutput(this, 'AdminApiId', { value: api.restApiId })
    new CfnOutput(this, 'AlarmTopicArn', { value: topic.topicArn })
  }
}

function countLogLines(scope: Construct, { doors, stageName }: WatchedResources): void {
  const counts: [string, LogCount][] = Object.entries(LOG_COUNTS)
  for (const [metricName, { doors: sources, pattern }] of counts) {
    for (const door of sources) {
      const fn = doors[door]
      if (fn === undefined) continue
      new logs.MetricFilter(scope, `${metricName}In${door}`, {
        logGroup: fn.logGroup,
        filterPattern: logs.FilterPattern.literal(pattern),
        metricNamespace: getLogCountsNamespace(stageName),
        metricName,
        metricValue: '1',
        unit: cloudwatch.Unit.COUNT,
      })
    }
  }
}

/** Creates one alarm of lib/alarms.ts, which holds thresholds and reasons. */
function alarmOf(
  scope: Construct,
  watched: WatchedResources,
  stage: WatchedStage,
  alarm: Alarm,
): cloudwatch.Alarm {
  const { name, periodSec, periods } = alarm
  const page = `docs/operations.md, Alarm: ${name}`
  return new cloudwatch.Alarm(scope, name, {
    alarmName: `${getAlarmPrefix(stage.name)}${name}`,
    alarmDescription: `${alarm.means} What to do: ${page}.`,
    // A label would turn a single metric into a list of metrics, which does not allow percentiles.
    metric: toMetric(
      watched,
      alarm.watched,
      isFormula(alarm.watched) ? { label: name, periodSec } : { periodSec },
    ),
    threshold: toThreshold(alarm, stage),
    comparisonOperator: OPERATORS[alarm.is],
    evaluationPeriods: periods,
    datapointsToAlarm: alarm.wrong ?? periods,
    treatMissingData: MISSING[alarm.missing],
    // With a handful of values a p99 is the slowest value, which means nothing.
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
 * Returns the threshold. A share is of the function's reservation. Without one, sse has the stage's
 * number, and mcp shares what the stage does not reserve.
 */
function toThreshold({ threshold }: Alarm, stage: WatchedStage): number {
  if (typeof threshold === 'number') return threshold
  const { of, share } = threshold
  const { accountConcurrency, reservedConcurrency = {}, sseConcurrency } = stage
  if (of === 'account') return Math.floor(accountConcurrency * share)
  const reserved = sumReservations(reservedConcurrency)
  const shared = of === 'sse' ? sseConcurrency : Math.max(1, accountConcurrency - reserved)
  return Math.floor((reservedConcurrency[of] ?? shared) * share)
}

function isPercentile({ watched }: Alarm): boolean {
  return !isFormula(watched) && /^p\d/.test(watched.statistic)
}

/**
 * When mail is sent: percents of the budget, of what was spent and of what AWS expects by the end
 * of the month.
 */
const MAILS = [
  { notificationType: 'ACTUAL', threshold: 80 },
  { notificationType: 'ACTUAL', threshold: 100 },
  { notificationType: 'FORECASTED', threshold: 100 },
] as const

/**
 * Adds a monthly budget that sends mail before the bill comes. It counts the whole account, because
 * a budget of one stage needs cost allocation tags, which an administrator has to activate. It
 * stops nothing.
 */
function addBudget(scope: Stack, stage: WatchedStage): void {
  const { monthlyBudgetUsd } = stage
  const address = getAlarmAddress(stage)
  if (address === undefined || monthlyBudgetUsd === undefined) return
  new budgets.CfnBudget(scope, 'Budget', {
    budget: {
      budgetType: 'COST',
      timeUnit: 'MONTHLY',
      budgetLimit: { amount: monthlyBudgetUsd, unit: 'USD' },
    },
    notificationsWithSubscribers: MAILS.map(({ notificationType, threshold }) => ({
      notification: {
        notificationType,
        comparisonOperator: 'GREATER_THAN',
        threshold,
        thresholdType: 'PERCENTAGE',
      },
      subscribers: [{ subscriptionType: 'EMAIL', address }],
    })),
  })
}

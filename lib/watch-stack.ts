/**
 * The monitoring of a stage: counted log lines, alarms with their topic, one dashboard. It changes
 * nothing that it watches and can be removed alone. Its content is data in lib/alarms.ts,
 * lib/log-counts.ts and lib/dashboard-rows.ts. Each alarm has a runbook: docs/operations.md,
 * Alarms.
 */
import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib'
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch'
import * as actions from 'aws-cdk-lib/aws-cloudwatch-actions'
import * as logs from 'aws-cdk-lib/aws-logs'
import type * as sns from 'aws-cdk-lib/aws-sns'
import type { Construct } from 'constructs'
import { alarmTopic, type WatchedStage } from './alarm-topic.ts'
import { ALARMS } from './alarms.ts'
import { addBudget } from './budget.ts'
import { DOORS } from './doors.ts'
import { LOG_COUNTS, type LogCount } from './log-counts.ts'
import { alarmOf } from './watch-alarms.ts'
import { addDashboard } from './watch-dashboard.ts'
import { logCountsNamespace, type WatchedResources } from './watch-metrics.ts'

export type WatchStackProps = StackProps &
  Omit<WatchedResources, 'stageName'> & { readonly stage: WatchedStage }

export class WatchStack extends Stack {
  constructor(scope: Construct, id: string, props: WatchStackProps) {
    super(scope, id, props)
    const { stage } = props
    const watched: WatchedResources = { ...props, stageName: stage.name }
    countLogLines(this, watched)
    const topic = alarmTopic(this, stage)
    const wake = new actions.SnsAction(topic)
    const alarms = ALARMS.map((alarm) => {
      const made = alarmOf(this, watched, stage, alarm)
      made.addAlarmAction(wake)
      return made
    })
    addDashboard(this, watched, alarms)
    addBudget(this, stage)
    this.outputs(watched, topic)
  }

  /** Values that the runbooks look up. */
  private outputs({ api, doors }: WatchedResources, topic: sns.Topic): void {
    for (const door of DOORS) {
      const name = door.charAt(0).toUpperCase() + door.slice(1)
      new CfnOutput(this, `${name}Function`, { value: doors[door].functionName })
      new CfnOutput(this, `${name}Logs`, { value: doors[door].logGroup.logGroupName })
    }
    new CfnOutput(this, 'AdminApiId', { value: api.restApiId })
    new CfnOutput(this, 'AlarmTopicArn', { value: topic.topicArn })
  }
}

function countLogLines(scope: Construct, { doors, stageName }: WatchedResources): void {
  const counts: [string, LogCount][] = Object.entries(LOG_COUNTS)
  for (const [metricName, { doors: sources, pattern }] of counts) {
    for (const door of sources) {
      new logs.MetricFilter(scope, `${metricName}In${door}`, {
        logGroup: doors[door].logGroup,
        filterPattern: logs.FilterPattern.literal(pattern),
        metricNamespace: logCountsNamespace(stageName),
        metricName,
        metricValue: '1',
        unit: cloudwatch.Unit.COUNT,
      })
    }
  }
}

/**
 * Creates the composite alarms, the only ones that notify. A composite that is on already sends
 * nothing when a further alarm goes on. A deploy watches the two that page by their names. Bound by
 * ADR 0132.
 */
import { Stack } from 'aws-cdk-lib'
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch'
import * as actions from 'aws-cdk-lib/aws-cloudwatch-actions'
import type { Construct } from 'constructs'
import type { Alarm, Composite } from './alarm.ts'
import { type AlarmTopics, getAlarmPrefix } from './alarm-topic.ts'
import { COMPOSITES } from './alarms.ts'
import { getDashboardName } from './watch-dashboard.ts'

/** An alarm as data, and as it was created. */
export type MadeAlarm = { readonly alarm: Alarm; readonly made: cloudwatch.IAlarm }

/** Creates the composites over the alarms, in the order of {@link COMPOSITES}. */
export function addComposites(
  scope: Construct,
  stageName: string,
  alarms: readonly MadeAlarm[],
  topics: AlarmTopics,
): readonly cloudwatch.CompositeAlarm[] {
  return COMPOSITES.map((composite) => {
    const { name, pages } = composite
    const children = alarms.filter(({ alarm }) => alarm.composite === name)
    const alarmName = `${getAlarmPrefix(stageName)}${name}`
    const created = new cloudwatch.CompositeAlarm(scope, name, {
      compositeAlarmName: alarmName,
      alarmDescription: describe(scope, stageName, alarmName, composite),
      alarmRule: cloudwatch.AlarmRule.anyOf(
        ...children.map(({ made }) =>
          cloudwatch.AlarmRule.fromAlarm(made, cloudwatch.AlarmState.ALARM),
        ),
      ),
    })
    created.addAlarmAction(new actions.SnsAction(topics.mail))
    if (pages) created.addAlarmAction(new actions.SnsAction(topics.page))
    return created
  })
}

/**
 * Returns the text that the mail shows. Each address ends at a space, because mail programs take a
 * full stop after an address as part of it.
 */
function describe(
  scope: Construct,
  stageName: string,
  alarmName: string,
  { means, name }: Composite,
): string {
  const { region } = Stack.of(scope)
  const console = `https://${region}.console.aws.amazon.com/cloudwatch/home?region=${region}`
  const dashboard = getDashboardName(stageName, region)
  return [
    means,
    `What to do: docs/operations.md, Alarm: ${name}.`,
    `Which alarms are on: ${console}#alarmsV2:alarm/${alarmName}`,
    `All numbers: ${console}#dashboards/dashboard/${dashboard}`,
  ].join('\n')
}

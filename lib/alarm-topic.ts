/** The topic that alarms notify, and the prefix of alarm names that its policy allows. */
import { ArnFormat, type Stack, Validations } from 'aws-cdk-lib'
import * as iam from 'aws-cdk-lib/aws-iam'
import * as sns from 'aws-cdk-lib/aws-sns'
import * as subscriptions from 'aws-cdk-lib/aws-sns-subscriptions'
import { getAlarmAddress } from './alarm-address.ts'
import type { Stage } from './stage.ts'

/** The fields of a stage that the alarms need. */
export type WatchedStage = Pick<
  Stage,
  | 'accountConcurrency'
  | 'alarmEmail'
  | 'monthlyBudgetUsd'
  | 'name'
  | 'reservedConcurrency'
  | 'sseConcurrency'
  | 'syntheticCalls'
>

/**
 * Creates the topic. CDK's rule against plain http replaces the topic's default policy, which lets
 * alarms publish. So this policy allows them again, limited to the alarms of this stage.
 */
export function createAlarmTopic(scope: Stack, stage: WatchedStage): sns.Topic {
  const { name } = stage
  const topic = new sns.Topic(scope, 'Alarms', {
    displayName: `Skillgate ${name}`,
    enforceSSL: true,
  })
  const toAlarmArn = (pattern: string) =>
    scope.formatArn({
      service: 'cloudwatch',
      resource: 'alarm',
      resourceName: `${getAlarmPrefix(name)}${pattern}`,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    })
  topic.addToResourcePolicy(
    new iam.PolicyStatement({
      sid: 'AlarmsPublish',
      principals: [new iam.ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: {
        StringEquals: { 'aws:SourceAccount': scope.account },
        ArnLike: { 'aws:SourceArn': toAlarmArn('*') },
        // Skillgate-dev-* also fits the alarms of a stage dev-eu; no alarm's own name has a hyphen.
        ArnNotLike: { 'aws:SourceArn': toAlarmArn('*-*') },
      },
    }),
  )
  const address = getAlarmAddress(stage)
  if (address !== undefined) addMail(topic, address)
  return topic
}

function addMail(topic: sns.Topic, address: string): void {
  const mail = topic.addSubscription(new subscriptions.EmailSubscription(address))
  Validations.of(mail).acknowledge({
    id: 'Serverless-SNSRedrivePolicy',
    reason:
      'SNS retries a mail for hours while the alarm stays red; a queue of unread alarms would notify nobody.',
  })
}

export function getAlarmPrefix(stageName: string): string {
  return `Skillgate-${stageName}-`
}

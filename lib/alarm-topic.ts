/** The topic that alarms wake somebody by, and the prefix of their names, by which it knows them. */
import { ArnFormat, type Stack, Validations } from 'aws-cdk-lib'
import * as iam from 'aws-cdk-lib/aws-iam'
import * as sns from 'aws-cdk-lib/aws-sns'
import * as subscriptions from 'aws-cdk-lib/aws-sns-subscriptions'
import type { Stage } from './stage.ts'

/** What of a stage the alarms need to know. */
export type WatchedStage = Pick<
  Stage,
  'alarmEmail' | 'name' | 'reservedConcurrency' | 'sseConcurrency'
>

/**
 * CDK's rule against plain http replaces the policy that a topic is born with, and by which alarms could
 * publish: so they are let in again, and only those of this stage.
 */
export function alarmTopic(scope: Stack, { alarmEmail, name }: WatchedStage): sns.Topic {
  const topic = new sns.Topic(scope, 'Alarms', {
    displayName: `Skillgate ${name}`,
    enforceSSL: true,
  })
  const alarmArns = scope.formatArn({
    service: 'cloudwatch',
    resource: 'alarm',
    resourceName: `${alarmPrefix(name)}*`,
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
        ArnLike: { 'aws:SourceArn': alarmArns },
      },
    }),
  )
  if (alarmEmail !== undefined) mailTo(topic, alarmEmail)
  return topic
}

function mailTo(topic: sns.Topic, address: string): void {
  const mail = topic.addSubscription(new subscriptions.EmailSubscription(address))
  Validations.of(mail).acknowledge({
    id: 'Serverless-SNSRedrivePolicy',
    reason:
      'SNS tries a mail for hours, the alarm stays red meanwhile, and a queue of unread alarms would wake nobody.',
  })
}

export function alarmPrefix(stageName: string): string {
  return `Skillgate-${stageName}-`
}

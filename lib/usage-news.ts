/**
 * Delivers to the usage function the outcomes and grants that are written to the Gateway table, by
 * a filtered mapping of the table's stream, so that no other write invokes it. A batch that fails
 * is halved and delivered again for some hours. A batch that fails to the end is named in a queue,
 * which an alarm watches. Once a day a schedule has the function archive the trail of changes.
 * Bound by ADR 0048 and ADR 0053.
 */
import { Duration, RemovalPolicy } from 'aws-cdk-lib'
import * as events from 'aws-cdk-lib/aws-events'
import * as targets from 'aws-cdk-lib/aws-events-targets'
import { Grant } from 'aws-cdk-lib/aws-iam'
import * as lambda from 'aws-cdk-lib/aws-lambda'
import { SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources'
import * as sqs from 'aws-cdk-lib/aws-sqs'
import { Construct } from 'constructs'
import { USAGE_WINDOW_SEC } from './stack-names.ts'

/** A record has the new image and the old one. Lambda hands on 6 MB at most, and splits by that. */
const BATCH_RECORDS_MAX = 1_000
/** How long a batch is tried. The stream keeps records for 24 hours. */
const RECORD_AGE_MAX = Duration.hours(20)
const LOST_KEPT = Duration.days(14)

export class UsageNews extends Construct {
  /** The queue that names batches that were given up: shard, first and last number. */
  readonly lost: sqs.Queue
  readonly mapping: lambda.EventSourceMapping
  readonly trailSchedule: events.Rule

  constructor(
    scope: Construct,
    id: string,
    props: { readonly door: lambda.FunctionBase; readonly streamArn: string },
  ) {
    super(scope, id)
    const { door, streamArn } = props
    this.lost = new sqs.Queue(this, 'Lost', {
      encryption: sqs.QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: LOST_KEPT,
      removalPolicy: RemovalPolicy.DESTROY,
    })
    const reading = Grant.addToPrincipal({
      grantee: door,
      actions: ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'],
      resourceArns: [streamArn],
    })
    // Lambda requires this action for the mapping, and IAM has no resource for it.
    const listing = Grant.addToPrincipal({
      grantee: door,
      actions: ['dynamodb:ListStreams'],
      resourceArns: ['*'],
    })
    this.mapping = new lambda.EventSourceMapping(this, 'Mapping', {
      target: door,
      eventSourceArn: streamArn,
      startingPosition: lambda.StartingPosition.TRIM_HORIZON,
      batchSize: BATCH_RECORDS_MAX,
      maxBatchingWindow: Duration.seconds(USAGE_WINDOW_SEC),
      bisectBatchOnError: true,
      reportBatchItemFailures: true,
      maxRecordAge: RECORD_AGE_MAX,
      onFailure: new SqsDlq(this.lost),
      filters: [LEDGER_FILTER],
    })
    reading.applyBefore(this.mapping)
    listing.applyBefore(this.mapping)
    this.trailSchedule = scheduleTrail(this, door)
  }
}

/**
 * Runs the archive of the trail after midnight UTC, when no change of the previous day is running.
 * The next run makes good for a lost one.
 */
function scheduleTrail(scope: Construct, door: lambda.FunctionBase): events.Rule {
  const tries = { retryAttempts: 2, maxEventAge: Duration.hours(6) }
  door.configureAsyncInvoke(tries)
  return new events.Rule(scope, 'TrailSchedule', {
    description: 'Archives the trail of changes of days that are over',
    schedule: events.Schedule.cron({ minute: '20', hour: '1' }),
    targets: [
      new targets.LambdaFunction(door, {
        ...tries,
        event: events.RuleTargetInput.fromObject({ task: 'export-trail' }),
      }),
    ],
  })
}

/** The filter of outcomes and grants. Removals have no new image, so they do not match. */
const LEDGER_FILTER = lambda.FilterCriteria.filter({
  eventName: ['INSERT', 'MODIFY'],
  dynamodb: {
    Keys: { pk: { S: [{ prefix: 'ledger:' }] } },
    NewImage: { state: { S: ['settled', 'refunded', 'granted'] } },
  },
})

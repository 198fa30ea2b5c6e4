/**
 * Brings the usage function the outcomes and grants that are written to the Gateway table: a mapping of
 * the table's stream, filtered, so that no other write invokes it. A batch that fails is halved and comes
 * again for some hours; what fails to the end is named in a queue, which an alarm watches. Once a day a
 * schedule has the function archive the trail of changes. Bound by ADR 0048 and ADR 0053.
 */
import { Duration, RemovalPolicy } from 'aws-cdk-lib'
import * as events from 'aws-cdk-lib/aws-events'
import * as targets from 'aws-cdk-lib/aws-events-targets'
import { Grant } from 'aws-cdk-lib/aws-iam'
import * as lambda from 'aws-cdk-lib/aws-lambda'
import { SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources'
import * as sqs from 'aws-cdk-lib/aws-sqs'
import { Construct } from 'constructs'
import type { DoorFunction } from './door-function.ts'

/** A batch waits so long for more: fewer and larger pages, and sums that are this much behind. */
const BATCH_WINDOW = Duration.seconds(20)
const BATCH_RECORDS_MAX = 1_000
/** The stream keeps records for 24 hours; after these a batch is given up. */
const RECORD_AGE_MAX = Duration.hours(20)
const RETENTION = Duration.days(14)

export class UsageNews extends Construct {
  /** Names batches that were given up: shard, first and last number. */
  readonly lost: sqs.Queue
  readonly mapping: lambda.EventSourceMapping
  readonly trailSchedule: events.Rule

  constructor(
    scope: Construct,
    id: string,
    props: { readonly door: DoorFunction; readonly streamArn: string },
  ) {
    super(scope, id)
    const { door, streamArn } = props
    this.lost = new sqs.Queue(this, 'Lost', {
      encryption: sqs.QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: RETENTION,
      removalPolicy: RemovalPolicy.DESTROY,
    })
    const reading = Grant.addToPrincipal({
      grantee: door,
      actions: ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'],
      resourceArns: [streamArn],
    })
    // Lambda demands it for the mapping, and IAM knows no resource for it.
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
      maxBatchingWindow: BATCH_WINDOW,
      bisectBatchOnError: true,
      reportBatchItemFailures: true,
      maxRecordAge: RECORD_AGE_MAX,
      onFailure: new SqsDlq(this.lost),
      filters: [LEDGER_ENTRIES],
    })
    reading.applyBefore(this.mapping)
    listing.applyBefore(this.mapping)
    this.trailSchedule = everyDay(this, door)
  }
}

/** After midnight of UTC, when no change of the day before is under way. A lost run is made good by the next. */
function everyDay(scope: Construct, door: DoorFunction): events.Rule {
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

/** Removals have no new image. */
const LEDGER_ENTRIES = lambda.FilterCriteria.filter({
  eventName: ['INSERT', 'MODIFY'],
  dynamodb: {
    Keys: { pk: { S: [{ prefix: 'ledger:' }] } },
    NewImage: { state: { S: ['settled', 'refunded', 'granted'] } },
  },
})

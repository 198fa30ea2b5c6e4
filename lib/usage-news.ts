/**
 * Brings the usage function the outcomes that are written to the Gateway table: a mapping of the
 * table's stream, filtered, so that no other write invokes it. A batch that fails is halved and comes
 * again for some hours; what fails to the end is named in a queue, which an alarm watches. Bound by
 * ADR 0048.
 */
import { Duration, RemovalPolicy } from 'aws-cdk-lib'
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
      filters: [OUTCOMES],
    })
    reading.applyBefore(this.mapping)
    listing.applyBefore(this.mapping)
  }
}

/** Grants have another state, and removals no new image. */
const OUTCOMES = lambda.FilterCriteria.filter({
  eventName: ['INSERT', 'MODIFY'],
  dynamodb: {
    Keys: { pk: { S: [{ prefix: 'ledger:' }] } },
    NewImage: { state: { S: ['settled', 'refunded'] } },
  },
})

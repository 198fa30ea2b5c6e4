/**
 * The bucket of the archive, for records that the tables do not keep for ever, and for results of
 * calls, which it keeps for a day. Its objects are written once: a PUT must require a free name. The
 * one function that may delete leaves a version, which is kept for 90 days. The trail of changes
 * never ends, because each day of it names the day before. If the stage does not retain its data,
 * the objects are deleted with the bucket. Bound by ADR 0053 and ADR 0134.
 */
import { Duration, RemovalPolicy } from 'aws-cdk-lib'
import * as iam from 'aws-cdk-lib/aws-iam'
import * as s3 from 'aws-cdk-lib/aws-s3'
import { Construct } from 'constructs'
import {
  ARCHIVE_MERGE_PERMISSION,
  KEPT_RESULTS_PERMISSION,
} from '../adapters/archive/permissions.ts'
import type { Stage } from './stage.ts'

/** How long an object that a person replaced or deleted can be restored. */
const OLD_VERSIONS_KEPT = Duration.days(90)
/**
 * When objects move to a colder storage class. Objects above 128 kB are cheaper there, and Athena
 * reads them as before.
 */
const COLD_AFTER = Duration.days(365)
/** How long the bucket has results of calls; the shortest time that a rule of S3 can have. */
const RESULTS_KEPT = Duration.days(1)

export class ArchiveBucket extends Construct {
  readonly bucket: s3.Bucket

  constructor(scope: Construct, id: string, { stage }: { readonly stage: Stage }) {
    super(scope, id)
    this.bucket = new s3.Bucket(this, 'Bucket', {
      encryption: s3.BucketEncryption.S3_MANAGED,
      blockPublicAccess: s3.BlockPublicAccess.BLOCK_ALL,
      objectOwnership: s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      versioned: true,
      lifecycleRules: [
        {
          id: 'Tidy',
          abortIncompleteMultipartUploadAfter: Duration.days(7),
          noncurrentVersionExpiration: OLD_VERSIONS_KEPT,
          // Each merged object would leave its mark for ever, and lists read them all.
          expiredObjectDeleteMarker: true,
          transitions: [
            {
              storageClass: s3.StorageClass.GLACIER_INSTANT_RETRIEVAL,
              transitionAfter: COLD_AFTER,
            },
          ],
        },
        {
          // Their owners read them for an hour (core/archive/kept-result.ts); a rule counts days.
          id: 'Results',
          prefix: KEPT_RESULTS_PERMISSION.keyPrefixes[0],
          expiration: RESULTS_KEPT,
          noncurrentVersionExpiration: RESULTS_KEPT,
        },
        ...toLedgerRules(stage),
      ],
      removalPolicy: stage.retainData
        ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE
        : RemovalPolicy.DESTROY,
      ...(stage.retainData ? {} : { autoDeleteObjects: true }),
    })
    this.bucket.addToResourcePolicy(
      new iam.PolicyStatement({
        sid: 'WriteOnce',
        effect: iam.Effect.DENY,
        principals: [new iam.AnyPrincipal()],
        actions: ['s3:PutObject'],
        resources: [this.bucket.arnForObjects('*')],
        conditions: {
          Null: { 's3:if-none-match': 'true' },
          Bool: { 's3:ObjectCreationOperation': 'true' },
        },
      }),
    )
  }
}

/** Returns the rule that ends calls and grants; none if the archive keeps them for ever. */
function toLedgerRules({ archiveDays }: Stage): readonly s3.LifecycleRule[] {
  if (archiveDays === undefined) return []
  const [prefix] = ARCHIVE_MERGE_PERMISSION.keyPrefixes
  return [{ id: 'Ledger', prefix, expiration: Duration.days(archiveDays) }]
}

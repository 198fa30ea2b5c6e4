/**
 * The resources that must survive: two tables, the archive, the key of users' secrets, two admin secrets. All
 * are retained where the stage says so and otherwise go with the stack. None has a physical name, so
 * that a failed first deployment can be repeated. The tables are defined in adapters/dynamodb/table.ts; lib/grants.ts grants access to them.
 */
import { Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib'
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb'
import * as kms from 'aws-cdk-lib/aws-kms'
import * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager'
import type { Construct } from 'constructs'
import { GATEWAY_TABLE, SESSIONS_TABLE, type TableDefinition } from '../adapters/dynamodb/table.ts'
import { ArchiveBucket } from './archive-bucket.ts'
import type { Stage } from './stage.ts'
import { billingOf } from './table-billing.ts'

/** 256 bits of letters and digits. */
export const SECRET_CHARS = 43

/** The shortest that KMS takes; a key that waits for its deletion costs nothing. */
const KEY_DELETION_WAIT = Duration.days(7)

export class DataStack extends Stack {
  readonly gatewayTable: dynamodb.TableV2
  readonly sessionsTable: dynamodb.TableV2
  readonly sessionsStreamArn: string
  readonly gatewayStreamArn: string
  readonly archive: ArchiveBucket
  /** Seals users' secrets. lib/grants.ts says which functions may use it. */
  readonly userSecretsKey: kms.Key
  /** X-Admin-Key. */
  readonly adminSecret: secretsmanager.Secret
  /** INTERNAL_API_SECRET. */
  readonly internalSecret: secretsmanager.Secret

  constructor(scope: Construct, id: string, props: StackProps & { readonly stage: Stage }) {
    super(scope, id, { ...props, terminationProtection: props.stage.terminationProtection })
    this.gatewayTable = tableOf(this, GATEWAY_TABLE, props.stage)
    this.sessionsTable = tableOf(this, SESSIONS_TABLE, props.stage)
    this.sessionsStreamArn = streamArnOf(this.sessionsTable)
    this.gatewayStreamArn = streamArnOf(this.gatewayTable)
    // Exported even if a stage does not use it: an export that an older gateway stack imports
    // cannot go.
    this.exportValue(this.sessionsStreamArn)
    this.archive = new ArchiveBucket(this, 'Archive', { stage: props.stage })
    this.userSecretsKey = new kms.Key(this, 'UserSecretsKey', {
      description: `Skillgate ${props.stage.name}: secrets of users and skills`,
      enableKeyRotation: true,
      removalPolicy: removalOf(props.stage),
      ...(props.stage.retainData ? {} : { pendingWindow: KEY_DELETION_WAIT }),
    })
    this.adminSecret = secretOf(this, 'AdminSecret', 'X-Admin-Key of the admin API', props.stage)
    this.internalSecret = secretOf(
      this,
      'InternalSecret',
      'Bearer secret of the admin API',
      props.stage,
    )
  }
}

function removalOf({ retainData }: Stage): RemovalPolicy {
  return retainData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY
}

function tableOf(scope: Stack, definition: TableDefinition, stage: Stage): dynamodb.TableV2 {
  const { name, partitionKey, sortKey, ttlAttribute, stream } = definition
  return new dynamodb.TableV2(scope, name, {
    partitionKey: { name: partitionKey, type: dynamodb.AttributeType.STRING },
    sortKey: { name: sortKey, type: dynamodb.AttributeType.STRING },
    billing: billingOf(definition, stage),
    timeToLiveAttribute: ttlAttribute,
    pointInTimeRecoverySpecification: {
      pointInTimeRecoveryEnabled: definition.pointInTimeRecovery,
    },
    deletionProtection: definition.deletionProtection && stage.deletionProtection,
    ...(stream === undefined ? {} : { dynamoStream: dynamodb.StreamViewType[stream] }),
    removalPolicy: removalOf(stage),
  })
}

function streamArnOf(table: dynamodb.TableV2): string {
  const { tableStreamArn } = table
  if (tableStreamArn === undefined)
    throw new Error(`${table.node.id}: its definition has no stream`)
  return tableStreamArn
}

/** `{"current":"…"}`. Rotation adds `previous`, and both values are valid while it exists. */
export function secretOf(
  scope: Stack,
  id: string,
  description: string,
  stage: Stage,
): secretsmanager.Secret {
  return new secretsmanager.Secret(scope, id, {
    description: `Skillgate: ${description}`,
    generateSecretString: {
      secretStringTemplate: '{}',
      generateStringKey: 'current',
      passwordLength: SECRET_CHARS,
      // The values travel in headers and shells.
      excludePunctuation: true,
    },
    removalPolicy: removalOf(stage),
  })
}

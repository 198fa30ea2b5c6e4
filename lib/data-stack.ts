/**
 * The resources that must survive: two tables, the archive, the key of users' secrets, two admin
 * secrets. All are retained if the stage says so, and otherwise deleted with the stack. None has a
 * physical name, so that a failed first deployment can be repeated. The tables are defined in
 * adapters/dynamodb/table.ts; lib/grants.ts grants access to them.
 */
import { CfnOutput, Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib'
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb'
import * as kms from 'aws-cdk-lib/aws-kms'
import * as secretsmanager from 'aws-cdk-lib/aws-secretsmanager'
import type { Construct } from 'constructs'
import { GATEWAY_TABLE, SESSIONS_TABLE, type TableDefinition } from '../adapters/dynamodb/table.ts'
import { ArchiveBucket } from './archive-bucket.ts'
import { OWN_TABLE_OUTPUT } from './stack-names.ts'
import { STAGE_FIELDS, type Stage, type UnitsPerSec } from './stage.ts'
import { TableBackup } from './table-backup.ts'
import { TARGET_PERCENT } from './table-scaling.ts'

/** Length of a secret in letters and digits, for 256 bits. */
export const SECRET_CHARS = 43

/** The shortest waiting time that KMS accepts; a key that waits for its deletion costs nothing. */
export const KEY_DELETION_WAIT = Duration.days(7)

/** The output that names the key, of which the second region's replica is made. */
export const KEY_OUTPUT = 'UserSecretsKeyArn'

export class DataStack extends Stack {
  readonly gatewayTable: dynamodb.TableV2
  readonly sessionsTable: dynamodb.TableV2
  readonly sessionsStreamArn: string
  readonly gatewayStreamArn: string
  readonly archive: ArchiveBucket
  /** The key that seals users' secrets. lib/grants.ts says which functions may use it. */
  readonly userSecretsKey: kms.IKey
  /** The value of X-Admin-Key. */
  readonly adminSecret: secretsmanager.Secret
  /** The value of INTERNAL_API_SECRET. */
  readonly internalSecret: secretsmanager.Secret
  /** Only of a stage with a region for copies. */
  readonly backup: TableBackup | undefined

  constructor(scope: Construct, id: string, props: StackProps & { readonly stage: Stage }) {
    super(scope, id, { ...props, terminationProtection: props.stage.terminationProtection })
    this.gatewayTable = createTable(this, GATEWAY_TABLE, props.stage)
    this.sessionsTable = createTable(this, SESSIONS_TABLE, props.stage)
    // The command line finds the table here, also while another one is in use.
    new CfnOutput(this, OWN_TABLE_OUTPUT, { value: this.gatewayTable.tableName })
    this.sessionsStreamArn = getStreamArn(this.sessionsTable)
    this.gatewayStreamArn = getStreamArn(this.gatewayTable)
    // Exported even if a stage does not use it, because an export that an older gateway stack
    // imports cannot be removed.
    this.exportValue(this.sessionsStreamArn)
    this.archive = new ArchiveBucket(this, 'Archive', { stage: props.stage })
    this.userSecretsKey = createSecretsKey(this, props.stage)
    const { backupRegion: copyRegion } = props.stage
    this.backup =
      copyRegion === undefined
        ? undefined
        : new TableBackup(this, 'Backup', {
            stage: props.stage,
            table: this.gatewayTable,
            copyRegion,
          })
    this.adminSecret = createSecret(
      this,
      'AdminSecret',
      'X-Admin-Key of the admin API',
      props.stage,
    )
    this.internalSecret = createSecret(
      this,
      'InternalSecret',
      'Bearer secret of the admin API',
      props.stage,
    )
  }
}

export function toRemovalPolicy({ retainData }: Stage): RemovalPolicy {
  return retainData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY
}

/**
 * Creates the key that seals users' secrets, or takes the one that the stage names. The key is a
 * Multi-Region key from the start, because KMS makes no other key into one, and what it sealed
 * opens only under it and its replicas (ADR 0131).
 */
function createSecretsKey(scope: Stack, stage: Stage): kms.IKey {
  if (stage.secretsKeyArn !== undefined) {
    return kms.Key.fromKeyArn(scope, 'UserSecretsKey', stage.secretsKeyArn)
  }
  const key = new kms.Key(scope, 'UserSecretsKey', {
    description: `Skillgate ${stage.name}: secrets of users and skills`,
    enableKeyRotation: true,
    multiRegion: true,
    removalPolicy: toRemovalPolicy(stage),
    ...(stage.retainData ? {} : { pendingWindow: KEY_DELETION_WAIT }),
  })
  new CfnOutput(scope, KEY_OUTPUT, { value: key.keyArn })
  return key
}

function createTable(scope: Stack, definition: TableDefinition, stage: Stage): dynamodb.TableV2 {
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
    removalPolicy: toRemovalPolicy(stage),
  })
}

function getStreamArn(table: dynamodb.TableV2): string {
  const { tableStreamArn } = table
  if (tableStreamArn === undefined)
    throw new Error(`${table.node.id}: its definition has no stream`)
  return tableStreamArn
}

/**
 * Creates a secret of the form `{"current":"…"}`. Rotation adds `previous`, and both values are
 * valid while it exists.
 */
export function createSecret(
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
      // The values are used in headers and shells.
      excludePunctuation: true,
    },
    removalPolicy: toRemovalPolicy(stage),
  })
}

/**
 * Returns how a table is paid: on demand, or by a capacity that DynamoDB's auto scaling adjusts to
 * the load.
 */
function billingOf(definition: TableDefinition, stage: Stage): dynamodb.Billing {
  const { capacity, tableUnitsPerSec: most } = stage
  if (capacity === 'provisioned' && definition === GATEWAY_TABLE) return toProvisioned(stage)
  if (most === undefined) return dynamodb.Billing.onDemand()
  return dynamodb.Billing.onDemand({
    maxWriteRequestUnits: most.write,
    maxReadRequestUnits: most.read,
  })
}

function toProvisioned({ provisionedUnitsMin, tableUnitsPerSec }: Stage): dynamodb.Billing {
  const toCapacity = (kind: keyof UnitsPerSec) =>
    dynamodb.Capacity.autoscaled({
      minCapacity: provisionedUnitsMin[kind],
      maxCapacity: tableUnitsPerSec?.[kind] ?? STAGE_FIELDS.tableUnitsPerSec.max,
      // CloudFormation requires it when a table that is on demand becomes provisioned.
      seedCapacity: provisionedUnitsMin[kind],
      targetUtilizationPercent: TARGET_PERCENT[kind],
    })
  return dynamodb.Billing.provisioned({
    readCapacity: toCapacity('read'),
    writeCapacity: toCapacity('write'),
  })
}

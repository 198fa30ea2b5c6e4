/** Reads the shape of a table from DynamoDB and Application Auto Scaling, and changes nothing. */
import type { AwsAccount } from '../../aws/ask-service.ts'
import { askDynamo, askScaling } from './control-plane.ts'
import {
  type Fields,
  formatKey,
  readTags,
  type Scaling,
  type TableShape,
  toCount,
  toFields,
  toList,
  toText,
} from './table-shape.ts'

/** Which units a scalable target of Application Auto Scaling is about. */
export const DIMENSIONS = {
  write: 'dynamodb:table:WriteCapacityUnits',
  read: 'dynamodb:table:ReadCapacityUnits',
} as const
export type Units = keyof typeof DIMENSIONS

export function toScaledResource(tableName: string): string {
  return `table/${tableName}`
}

/** `table` is what DescribeTable says of it. */
export async function readDeployedShape(aws: AwsAccount, table: Fields): Promise<TableShape> {
  const TableName = String(table['TableName'])
  const ResourceArn = String(table['TableArn'])
  const ttl = await askDynamo(aws, 'DescribeTimeToLive', { TableName })
  const backups = await askDynamo(aws, 'DescribeContinuousBackups', { TableName })
  const tags = await askDynamo(aws, 'ListTagsOfResource', { ResourceArn })
  const stream = toFields(table['StreamSpecification'])
  const bounds = toFields(table['OnDemandThroughput'])
  const billing = readBilling(table)
  const scaling = async (units: Units) =>
    billing === 'provisioned' ? readScaling(aws, TableName, units) : undefined
  return {
    keys: toList(table['KeySchema']).map(formatKey),
    ttlAttribute: readTtl(toFields(ttl['TimeToLiveDescription'])),
    stream: stream['StreamEnabled'] === true ? toText(stream['StreamViewType']) : undefined,
    pointInTimeRecovery: readRecovery(backups)['PointInTimeRecoveryStatus'] === 'ENABLED',
    deletionProtection: table['DeletionProtectionEnabled'] === true,
    billing,
    // DynamoDB writes -1 for no bound.
    writeUnitsMax: toCount(bounds['MaxWriteRequestUnits']),
    readUnitsMax: toCount(bounds['MaxReadRequestUnits']),
    writeScaling: await scaling('write'),
    readScaling: await scaling('read'),
    tags: readTags(tags['Tags']),
  }
}

/** The point-in-time recovery of a table, of an answer of DescribeContinuousBackups. */
export function readRecovery(answer: Fields): Fields {
  const { PointInTimeRecoveryDescription } = toFields(answer['ContinuousBackupsDescription'])
  return toFields(PointInTimeRecoveryDescription)
}

function readBilling(table: Fields): TableShape['billing'] {
  // A table that was always provisioned has no summary.
  const { BillingMode = 'PROVISIONED' } = toFields(table['BillingModeSummary'])
  return BillingMode === 'PAY_PER_REQUEST' ? 'on-demand' : 'provisioned'
}

function readTtl({ AttributeName, TimeToLiveStatus }: Fields): string | undefined {
  const isOn = TimeToLiveStatus === 'ENABLED' || TimeToLiveStatus === 'ENABLING'
  return isOn ? toText(AttributeName) : undefined
}

async function readScaling(
  aws: AwsAccount,
  tableName: string,
  units: Units,
): Promise<Scaling | undefined> {
  const ResourceId = toScaledResource(tableName)
  const ScalableDimension = DIMENSIONS[units]
  const found = await askScaling(aws, 'DescribeScalableTargets', {
    ResourceIds: [ResourceId],
    ScalableDimension,
  })
  const policies = await askScaling(aws, 'DescribeScalingPolicies', {
    ResourceId,
    ScalableDimension,
  })
  const [target = {}] = toList(found['ScalableTargets'])
  const [policy = {}] = toList(policies['ScalingPolicies'])
  const { TargetValue } = toFields(policy['TargetTrackingScalingPolicyConfiguration'])
  const [min, max] = [toCount(target['MinCapacity']), toCount(target['MaxCapacity'])]
  const targetPercent = toCount(TargetValue)
  if (min === undefined || max === undefined || targetPercent === undefined) return undefined
  return { min, max, targetPercent }
}

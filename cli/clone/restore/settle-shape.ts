/**
 * Gives a table the shape of the template: reads it, settles the first difference, waits until the
 * table is active, and reads it again, until there is none. So it can be broken off anywhere and run
 * again: what is settled is no difference any more.
 */
import type { AwsAccount } from '../../aws/ask-service.ts'
import { askDynamo, askScaling, findTable } from './control-plane.ts'
import { DIMENSIONS, readDeployedShape, toScaledResource, type Units } from './deployed-shape.ts'
import {
  type Difference,
  type Fields,
  formatDifference,
  listDifferences,
  type Scaling,
  type TableShape,
} from './table-shape.ts'

/** Waits between polls. Rejects if the command is interrupted. */
export type Pause = (ms: number) => Promise<void>

/** A change of a table takes some seconds; a restore from minutes to hours. */
const POLL_MS = 5_000
/** 24 hours of polls; a restore that takes longer is waited for by the next run. */
const POLLS_MAX = 17_280
/** Each field is settled in one or two changes. */
const CHANGES_MAX = 24

export type TableWait = {
  readonly aws: AwsAccount
  readonly pause: Pause
  /** Called with what is waited for, before the first pause and after each one. */
  readonly onWait: (text: string) => void
}

/** Waits until the table is active, and returns what DescribeTable says of it. */
export async function waitForTable(
  { aws, onWait, pause }: TableWait,
  tableName: string,
): Promise<Fields> {
  for (let polls = 0; polls < POLLS_MAX; polls += 1) {
    const table = await findTable(aws, tableName)
    if (table?.['TableStatus'] === 'ACTIVE') return table
    onWait(`${tableName} is ${table?.['TableStatus'] ?? 'not there yet'}`)
    await pause(POLL_MS)
  }
  throw new Error(`${tableName}: is not active after a day; run the same command again`)
}

/** Returns what was changed, in order. Throws an Error with what cannot be settled. */
export async function settleShape(
  wait: TableWait,
  tableName: string,
  wanted: TableShape,
): Promise<readonly Difference[]> {
  const settled: Difference[] = []
  for (let changes = 0; changes < CHANGES_MAX; changes += 1) {
    const table = await waitForTable(wait, tableName)
    const [first] = listDifferences(wanted, await readDeployedShape(wait.aws, table))
    if (first === undefined) return settled
    wait.onWait(`${tableName} gets its ${first.name}`)
    await settle(wait.aws, table, wanted, first)
    settled.push(first)
    await wait.pause(POLL_MS)
  }
  const table = await waitForTable(wait, tableName)
  const left = listDifferences(wanted, await readDeployedShape(wait.aws, table))
  throw new Error(`${tableName}: stays different: ${left.map(formatDifference).join('; ')}`)
}

async function settle(
  aws: AwsAccount,
  table: Fields,
  wanted: TableShape,
  difference: Difference,
): Promise<void> {
  const TableName = String(table['TableName'])
  const update = (input: Fields) => askDynamo(aws, 'UpdateTable', { TableName, ...input })
  switch (difference.name) {
    case 'keys':
      throw new Error(`${TableName}: is another kind of table; ${formatDifference(difference)}`)
    case 'billing':
      await update(toBilling(wanted))
      return
    case 'writeUnitsMax':
    case 'readUnitsMax':
      await update({ OnDemandThroughput: toBounds(wanted) })
      return
    case 'writeScaling':
      await settleScaling(aws, TableName, 'write', wanted.writeScaling)
      return
    case 'readScaling':
      await settleScaling(aws, TableName, 'read', wanted.readScaling)
      return
    case 'ttlAttribute':
      await askDynamo(aws, 'UpdateTimeToLive', {
        TableName,
        TimeToLiveSpecification: toTtl(wanted, difference),
      })
      return
    case 'stream':
      // A stream of another kind ends first; the next round starts the wanted one.
      await update({ StreamSpecification: toStream(wanted, difference) })
      return
    case 'pointInTimeRecovery':
      await askDynamo(aws, 'UpdateContinuousBackups', {
        TableName,
        PointInTimeRecoverySpecification: {
          PointInTimeRecoveryEnabled: wanted.pointInTimeRecovery,
        },
      })
      return
    case 'deletionProtection':
      await update({ DeletionProtectionEnabled: wanted.deletionProtection })
      return
    case 'tags': {
      const Tags = Object.entries(wanted.tags).map(([Key, Value]) => ({ Key, Value }))
      await askDynamo(aws, 'TagResource', { ResourceArn: String(table['TableArn']), Tags })
      return
    }
    default:
      difference.name satisfies never
  }
}

function toBilling({ billing, readScaling, writeScaling }: TableShape): Fields {
  if (billing === 'on-demand') return { BillingMode: 'PAY_PER_REQUEST' }
  return {
    BillingMode: 'PROVISIONED',
    ProvisionedThroughput: {
      ReadCapacityUnits: readScaling?.min ?? 1,
      WriteCapacityUnits: writeScaling?.min ?? 1,
    },
  }
}

/** DynamoDB takes both bounds in one request, and -1 for none. */
function toBounds({ readUnitsMax = -1, writeUnitsMax = -1 }: TableShape): Fields {
  return { MaxReadRequestUnits: readUnitsMax, MaxWriteRequestUnits: writeUnitsMax }
}

function toTtl({ ttlAttribute }: TableShape, { actual }: Difference): Fields {
  return ttlAttribute === undefined
    ? { Enabled: false, AttributeName: actual }
    : { Enabled: true, AttributeName: ttlAttribute }
}

function toStream({ stream }: TableShape, { actual }: Difference): Fields {
  if (stream === undefined || actual !== undefined) return { StreamEnabled: false }
  return { StreamEnabled: true, StreamViewType: stream }
}

async function settleScaling(
  aws: AwsAccount,
  tableName: string,
  units: Units,
  scaling: Scaling | undefined,
): Promise<void> {
  const target = { ResourceId: toScaledResource(tableName), ScalableDimension: DIMENSIONS[units] }
  if (scaling === undefined) {
    await askScaling(aws, 'DeregisterScalableTarget', target)
    return
  }
  await askScaling(aws, 'RegisterScalableTarget', {
    ...target,
    MinCapacity: scaling.min,
    MaxCapacity: scaling.max,
  })
  await askScaling(aws, 'PutScalingPolicy', {
    ...target,
    PolicyName: `${tableName}-${units}`,
    PolicyType: 'TargetTrackingScaling',
    TargetTrackingScalingPolicyConfiguration: {
      TargetValue: scaling.targetPercent,
      PredefinedMetricSpecification: {
        PredefinedMetricType: `DynamoDB${units === 'write' ? 'Write' : 'Read'}CapacityUtilization`,
      },
    },
  })
}

/**
 * What a restore is about to do: the table in use, the restored one, and whether recovery reaches
 * the moment. Reads only. The name of the restored table says its moment, so that the same command
 * finds it again after it was broken off.
 */
import { GATEWAY_TABLE } from '../../../adapters/dynamodb/table.ts'
import { toUtcSecond } from '../../../core/json/utc-time.ts'
import { DOORS, type Door } from '../../../lib/doors.ts'
import { OWN_TABLE_OUTPUT, toStackName } from '../../../lib/stack-names.ts'
import type { AwsAccount } from '../../aws/ask-service.ts'
import { CommandFault, toUsageFault } from '../../terminal/exit-code.ts'
import { readDoors } from '../release/aliases.ts'
import { readStack } from '../release/stack.ts'
import { askDynamo, findTable } from './control-plane.ts'
import { readRecovery } from './deployed-shape.ts'
import { type Fields, toFields } from './table-shape.ts'

/** A moment to restore, or a table that exists and takes the place of the one in use. */
export type RestoreGoal =
  | { readonly kind: 'moment'; readonly atMs: number }
  | { readonly kind: 'table'; readonly tableName: string }

export type RestorePlan = {
  readonly stage: string
  readonly inUse: string
  /** The table of the data stack, for which no parameter is needed. */
  readonly own: string
  readonly target: string
  readonly goal: RestoreGoal
  /** True if the restored table exists, or is being made. */
  readonly exists: boolean
  /** False for a stage that was deployed without its alarms. */
  readonly hasWatch: boolean
  readonly functions: { readonly [D in Door]: string }
}

export async function planRestore(
  aws: AwsAccount,
  stage: string,
  goal: RestoreGoal,
): Promise<RestorePlan> {
  const readPart = (part: string) => readStack(aws, toStackName(stage, part))
  const [data = {}, gateway = {}] = [
    (await readPart('Data'))?.outputs,
    (await readPart('Gateway'))?.outputs,
  ]
  const doors = readDoors(gateway)
  const inUse = readOutput(gateway, 'GatewayTableName')
  const own = readOutput(data, OWN_TABLE_OUTPUT)
  const functionOf = (name: Door) => {
    const found = doors.find(({ door }) => door.toLowerCase() === name)
    return found?.functionName ?? readOutput(gateway, `${name}Release`)
  }
  const target = goal.kind === 'table' ? goal.tableName : nameRestored(inUse, goal.atMs)
  const found = await findTable(aws, target)
  if (goal.kind === 'table') assertFound(target, found)
  else if (found === undefined) await assertRecoverable(aws, inUse, goal.atMs)
  else assertRestored(found, inUse, goal.atMs)
  const functions = Object.fromEntries(DOORS.map((door) => [door, functionOf(door)]))
  return {
    stage,
    inUse,
    own,
    target,
    goal,
    exists: found !== undefined,
    hasWatch: (await readPart('Watch')) !== undefined,
    functions: functions as RestorePlan['functions'],
  }
}

function readOutput(outputs: { readonly [name: string]: string }, name: string): string {
  const value = outputs[name]
  if (value !== undefined && value !== '') return value
  throw new Error(`${name}: is no output of the stage's stacks; deploy the stage, and try again`)
}

/** The end of a restored table's name; a second restore replaces it. */
const RESTORED_END = /-to-\d{8}T\d{6}Z$/

/** DynamoDB takes names of 255 characters; those of CloudFormation have about 60. */
export function nameRestored(inUse: string, atMs: number): string {
  const moment = new Date(atMs)
    .toISOString()
    .replace(/\.\d{3}/, '')
    .replaceAll(/[-:]/g, '')
  return `${inUse.replace(RESTORED_END, '')}-to-${moment}`
}

function assertFound(target: string, found: Fields | undefined): void {
  if (found !== undefined) return
  throw toUsageFault(`--use: there is no table ${target}.`, 'Name a table of this region.')
}

/** Refuses a table of this name that is something else. */
function assertRestored(found: Fields, inUse: string, atMs: number): void {
  const { RestoreDateTime } = toFields(found['RestoreSummary'])
  const name = String(found['TableName'])
  // A table that is in use already was checked when it was made.
  if (name === inUse || Number(RestoreDateTime) * 1_000 === atMs) return
  throw new CommandFault(`${name}: exists, and is no restore to this moment.`, {
    remedy: 'Look at it, and delete it or give it to --use.',
  })
}

async function assertRecoverable(aws: AwsAccount, TableName: string, atMs: number): Promise<void> {
  const recovery = readRecovery(await askDynamo(aws, 'DescribeContinuousBackups', { TableName }))
  const { EarliestRestorableDateTime, LatestRestorableDateTime } = recovery
  if (recovery['PointInTimeRecoveryStatus'] !== 'ENABLED') {
    throw new CommandFault(`${TableName}: has no point-in-time recovery.`, {
      remedy: `${GATEWAY_TABLE.name} has it in every stage; see docs/operations.md for backups.`,
    })
  }
  const [earliest, latest] = [EarliestRestorableDateTime, LatestRestorableDateTime].map(
    (seconds) => Number(seconds) * 1_000,
  )
  if (earliest === undefined || latest === undefined) return
  if (atMs >= earliest && atMs <= latest) return
  throw toUsageFault(
    `--to: ${toUtcSecond(atMs)} cannot be restored.`,
    `Give a time from ${toUtcSecond(earliest)} to ${toUtcSecond(latest)}.`,
  )
}

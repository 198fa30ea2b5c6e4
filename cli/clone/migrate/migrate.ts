/**
 * Moves all remaining records of the earlier service, step by step; docs/operations.md says when to
 * do so. Exits with 1 if records stay behind or the run stopped early, with 2 for wrong arguments.
 * A dry run writes nothing.
 */
import { existsSync } from 'node:fs'
import { DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { nodeIds } from '../../../adapters/crypto/node-ids.ts'
import { systemClock } from '../../../adapters/crypto/system-clock.ts'
import { dynamoClient } from '../../../adapters/dynamodb/client/client.ts'
import type { DynamoStore } from '../../../adapters/dynamodb/client/document-store.ts'
import { dynamoStore } from '../../../adapters/dynamodb/client/sdk-store.ts'
import { openLocalStore } from '../../../adapters/dynamodb/local-store.ts'
import { dynamoStorePorts } from '../../../adapters/dynamodb/store-ports.ts'
import { SESSIONS_TABLE } from '../../../adapters/dynamodb/table.ts'
import { openDataFolder } from '../../../local/settings/data-folder.ts'
import { StartFault } from '../../../local/start-fault.ts'
import { assertCurrentFolder, toStoreFile } from '../../../local/store/store.ts'
import { EXIT, type ExitCode } from '../../terminal/exit-code.ts'
import type { Shell } from '../../terminal/shell.ts'
import { describeCause, type Program } from '../program.ts'
import { type MigrateOptions, readMigrateOptions, USAGE } from './options.ts'
import { openProgress, type Terminal } from './progress.ts'
import { formatMigrationSummary, type MigrateOutcome, runMigration, toExitCode } from './run.ts'

/**
 * Timeout of one request: a step reads up to 1 MB of the table, which takes long over a slow
 * network.
 */
const REQUEST_TIMEOUT_MS = 20_000

export const MIGRATE: Program = { usage: USAGE, run: migrate }

async function migrate(words: readonly string[], shell: Shell): Promise<ExitCode> {
  const options = readMigrateOptions(words, shell.env)
  if (!options.ok) {
    shell.err.write(`migrate: ${options.error}\n\n${USAGE}\n`)
    return EXIT.usage
  }
  try {
    const outcome = await migrateFolderOrTable(options.value, shell.err)
    shell.out.write(`${formatMigrationSummary(outcome, options.value).join('\n')}\n`)
    return toExitCode(outcome)
  } catch (cause) {
    shell.err.write(`migrate: ${describeCause(cause)}\n`)
    return EXIT.failed
  }
}

async function migrateFolderOrTable(
  options: MigrateOptions,
  terminal: Terminal,
): Promise<MigrateOutcome> {
  const { where } = options
  if (where.kind === 'table') return migrateTable(where, options, terminal)
  assertCurrentFolder(where.path)
  const file = toStoreFile(where.path)
  if (!existsSync(file)) {
    throw new StartFault(`${where.path} holds no store: name the twin's folder with --data FOLDER.`)
  }
  const folder = openDataFolder(where.path)
  try {
    const { close, store } = openLocalStore({ file, clock: systemClock() })
    try {
      return await migrateStore(store, options, { terminal, recordsInAll: undefined })
    } finally {
      await close()
    }
  } finally {
    folder.release()
  }
}

async function migrateTable(
  { endpoint, region, table }: Extract<MigrateOptions['where'], { kind: 'table' }>,
  options: MigrateOptions,
  terminal: Terminal,
): Promise<MigrateOutcome> {
  const client = dynamoClient({ endpoint, region, requestTimeoutMs: REQUEST_TIMEOUT_MS })
  const tables = { gateway: table, sessions: SESSIONS_TABLE.name }
  try {
    const store = dynamoStore({ client, tables, clock: systemClock() })
    const recordsInAll = await readRoughCount(client, table)
    return withRemedy(await migrateStore(store, options, { terminal, recordsInAll }), table)
  } finally {
    client.destroy()
  }
}

async function migrateStore(
  store: DynamoStore,
  options: MigrateOptions,
  { recordsInAll, terminal }: { terminal: Terminal; recordsInAll: number | undefined },
): Promise<MigrateOutcome> {
  const { clock } = store
  const progress = openProgress(terminal, clock.nowMs)
  try {
    const log = { call: () => {}, note: () => {} }
    const needs = { ...dynamoStorePorts(store), clock, ids: nodeIds(), log }
    return await runMigration(needs, options, { progress, recordsInAll })
  } finally {
    progress.end()
  }
}

/**
 * Adds a remedy to the outcome if no record was read: then the arguments probably name the wrong
 * store.
 */
export function withRemedy(outcome: MigrateOutcome, table: string): MigrateOutcome {
  const { standing, stopped } = outcome
  if (standing.records > 0 || stopped?.why.startsWith('store: ') !== true) return outcome
  const remedy =
    `No record of table ${table} was read. For AWS name --table and --region and have credentials of the ` +
    'SDK (AWS_PROFILE or AWS_ACCESS_KEY_ID); for a stopped twin name its folder with --data; else --endpoint'
  return { ...outcome, stopped: { ...stopped, why: `${stopped.why}. ${remedy}` } }
}

/**
 * Reads the approximate number of records, which DynamoDB updates every six hours. Returns
 * undefined without the permission; then there is no progress bar.
 */
async function readRoughCount(
  client: DynamoDBClient,
  TableName: string,
): Promise<number | undefined> {
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName }))
    return Table?.ItemCount
  } catch {
    return undefined
  }
}

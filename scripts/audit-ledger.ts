/**
 * `npm run audit:ledger`: recomputes every user's sum from grants, holds and outcomes, and names
 * what does not add up; exits with 1 when something does not. Reads, and writes nothing.
 *
 *   -- --data FOLDER          a folder of the twin that no twin has open (.local unless told)
 *   -- --endpoint URL         any DynamoDB; or AWS_ENDPOINT_URL_DYNAMODB
 *   -- --table NAME           on AWS, with the SDK's own region and credentials (Gateway unless told)
 */
import './help.ts'
import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { systemClock } from '../adapters/crypto/system-clock.ts'
import { dynamoClient } from '../adapters/dynamodb/client/client.ts'
import { dynamoStore } from '../adapters/dynamodb/client/document-store.ts'
import { GATEWAY_TABLE, SESSIONS_TABLE } from '../adapters/dynamodb/table.ts'
import { type Audit, auditAccount } from '../core/ledger/audit.ts'
import { type DataFolder, openDataFolder } from '../local/settings/data-folder.ts'
import { StartFault } from '../local/start-fault.ts'
import { startEmbedded } from '../local/store/embedded-dynamodb.ts'
import { sqliteAccounts } from '../local/store/sqlite-accounts.ts'
import { storeFile } from '../local/store/store-files.ts'
import { dynamoAccounts, type ReadAccount } from './audit/dynamo-accounts.ts'
import { type Report, reportOf } from './audit/report.ts'

/** A user's ledger of 10,000 calls is read at once, which takes a while on a small machine. */
const REQUEST_TIMEOUT_MS = 20_000

export async function auditTable(at: {
  readonly endpoint: string | undefined
  readonly table: string
}): Promise<Report> {
  const client = dynamoClient({ endpoint: at.endpoint, requestTimeoutMs: REQUEST_TIMEOUT_MS })
  const tables = { gateway: at.table, sessions: SESSIONS_TABLE.name }
  const store = dynamoStore({ client, tables, clock: systemClock() })
  try {
    return await report(dynamoAccounts(client, store))
  } finally {
    client.destroy()
  }
}

/** Throws StartFault when there is nothing to audit, or a twin has the folder open. */
export async function auditFolder(path: string): Promise<Report> {
  const [file, dynamoFile] = [storeFile(path, 'sqlite'), storeFile(path, 'dynamodb')]
  const isSqlite = existsSync(file)
  if (!isSqlite && !existsSync(dynamoFile)) {
    throw new StartFault(`Data folder ${path} holds no store: name the twin's with --data FOLDER.`)
  }
  const folder = lockedFolder(path)
  try {
    if (isSqlite) return await report(sqliteAccounts(file))
    const embedded = await startEmbedded({ dbPath: dynamoFile })
    if ('missing' in embedded) throw new StartFault(`${embedded.missing}: run npm ci to audit it.`)
    try {
      return await auditTable({ endpoint: embedded.endpoint, table: GATEWAY_TABLE.name })
    } finally {
      await embedded.stop()
    }
  } finally {
    folder.release()
  }
}

/** A twin that starts meanwhile reports that the folder is in use. */
function lockedFolder(path: string): DataFolder {
  try {
    return openDataFolder(path)
  } catch (cause) {
    const why = cause instanceof Error ? ` (${cause.message})` : ''
    throw new StartFault(`Stop the twin first: its folder must be free to be read${why}`, cause)
  }
}

async function report(
  accounts: AsyncIterable<ReadAccount> | Iterable<ReadAccount>,
): Promise<Report> {
  const audits: Audit[] = []
  const busy: string[] = []
  for await (const account of accounts) {
    if ('busy' in account) busy.push(account.uid)
    else audits.push(auditAccount(account))
  }
  return reportOf(audits, busy)
}

function audit(): Promise<Report> {
  const text = { type: 'string' } as const
  const { values } = parseArgs({ options: { data: text, endpoint: text, table: text } })
  const endpoint = values.endpoint ?? process.env['AWS_ENDPOINT_URL_DYNAMODB']
  if (values.data === undefined && (endpoint !== undefined || values.table !== undefined)) {
    return auditTable({ endpoint, table: values.table ?? GATEWAY_TABLE.name })
  }
  return auditFolder(values.data ?? '.local')
}

if (import.meta.main) {
  try {
    const { lines, wrong } = await audit()
    for (const line of lines) console.log(line)
    if (wrong > 0) process.exitCode = 1
  } catch (cause) {
    console.error(`audit: ${cause instanceof Error ? cause.message : String(cause)}`)
    process.exitCode = 1
  }
}

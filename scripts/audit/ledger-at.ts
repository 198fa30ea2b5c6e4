/** Opens a ledger to read it: a DynamoDB table, or a folder of the twin that no twin has open. */
import { existsSync } from 'node:fs'
import { systemClock } from '../../adapters/crypto/system-clock.ts'
import { dynamoClient } from '../../adapters/dynamodb/client/client.ts'
import { dynamoStore } from '../../adapters/dynamodb/client/sdk-store.ts'
import { dynamoAuditTrail } from '../../adapters/dynamodb/evidence/audit-trail.ts'
import { GATEWAY_TABLE, SESSIONS_TABLE } from '../../adapters/dynamodb/table.ts'
import { dynamoUsageSums } from '../../adapters/dynamodb/usage/usage-sums.ts'
import type { AuditTrail, UsageSums } from '../../core/ports.ts'
import { type DataFolder, FolderInUse, openDataFolder } from '../../local/settings/data-folder.ts'
import { StartFault } from '../../local/start-fault.ts'
import { startEmbedded } from '../../local/store/embedded-dynamodb.ts'
import { openSqliteLedger } from '../../local/store/sqlite-ledger.ts'
import { storeFile } from '../../local/store/store-files.ts'
import { dynamoAccounts, type ReadAccount } from './dynamo-accounts.ts'

/** A user's ledger of 10,000 calls is read at once, which takes a while on a small machine. */
const REQUEST_TIMEOUT_MS = 20_000

export type OpenLedger = {
  readonly accounts: AsyncIterable<ReadAccount>
  readonly usageSums: UsageSums
  readonly auditTrail: AuditTrail
}

export type LedgerWork<T> = (ledger: OpenLedger) => Promise<T>

export type TableAt = { readonly endpoint: string | undefined; readonly table: string }

export async function withTable<T>(at: TableAt, work: LedgerWork<T>): Promise<T> {
  const client = dynamoClient({ endpoint: at.endpoint, requestTimeoutMs: REQUEST_TIMEOUT_MS })
  const tables = { gateway: at.table, sessions: SESSIONS_TABLE.name }
  const store = dynamoStore({ client, tables, clock: systemClock() })
  try {
    return await work({
      accounts: dynamoAccounts(client, store),
      usageSums: dynamoUsageSums(store),
      auditTrail: dynamoAuditTrail(store),
    })
  } finally {
    client.destroy()
  }
}

/** Throws StartFault when there is nothing to read, or a twin has the folder open. */
export async function withFolder<T>(path: string, work: LedgerWork<T>): Promise<T> {
  const [file, dynamoFile] = [storeFile(path, 'sqlite'), storeFile(path, 'dynamodb')]
  const isSqlite = existsSync(file)
  if (!isSqlite && !existsSync(dynamoFile)) {
    throw new StartFault(`Data folder ${path} holds no store: name the twin's with --data FOLDER.`)
  }
  const folder = lockedFolder(path)
  try {
    return isSqlite ? await withFile(file, work) : await withEmulator(dynamoFile, work)
  } finally {
    folder.release()
  }
}

async function withFile<T>(file: string, work: LedgerWork<T>): Promise<T> {
  const ledger = openSqliteLedger(file, systemClock())
  try {
    return await work(ledger)
  } finally {
    await ledger.close()
  }
}

async function withEmulator<T>(dbPath: string, work: LedgerWork<T>): Promise<T> {
  const embedded = await startEmbedded({ dbPath })
  if ('missing' in embedded) throw new StartFault(`${embedded.missing}: run npm ci to audit it.`)
  try {
    const { endpoint } = embedded
    return await withTable({ endpoint, table: GATEWAY_TABLE.name }, work)
  } finally {
    await embedded.stop()
  }
}

/** A twin that starts meanwhile reports that the folder is in use. */
function lockedFolder(path: string): DataFolder {
  try {
    return openDataFolder(path)
  } catch (cause) {
    if (!(cause instanceof FolderInUse)) throw cause
    throw new StartFault(
      `Stop the twin first: its folder must be free to be read (${cause.message})`,
      cause,
    )
  }
}

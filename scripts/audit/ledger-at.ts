/** Opens a ledger for reading: a DynamoDB table, or a folder of the twin that no twin uses. */
import { existsSync } from 'node:fs'
import { systemClock } from '../../adapters/crypto/system-clock.ts'
import { dynamoAuditTrail } from '../../adapters/dynamodb/audit/audit-trail.ts'
import { dynamoClient } from '../../adapters/dynamodb/client/client.ts'
import type { DynamoStore } from '../../adapters/dynamodb/client/document-store.ts'
import { dynamoStore } from '../../adapters/dynamodb/client/sdk-store.ts'
import { openLocalStore } from '../../adapters/dynamodb/local-store.ts'
import { SESSIONS_TABLE } from '../../adapters/dynamodb/table.ts'
import { dynamoUsageSums } from '../../adapters/dynamodb/usage/usage-sums.ts'
import type { UsageSums } from '../../core/ports/usage.ts'
import type { AuditTrail } from '../../core/ports/users.ts'
import {
  type DataFolder,
  FolderInUseFault,
  openDataFolder,
} from '../../local/settings/data-folder.ts'
import { StartFault } from '../../local/start-fault.ts'
import { assertCurrentFolder, toStoreFile } from '../../local/store/store.ts'
import { type ReadAccount, readAccounts } from './stored-accounts.ts'

/**
 * Timeout of a request: a user's ledger of 10,000 calls is read at once, which takes long on a
 * small machine.
 */
const REQUEST_TIMEOUT_MS = 20_000

export type OpenLedger = {
  readonly accounts: AsyncIterable<ReadAccount>
  readonly usageSums: UsageSums
  readonly auditTrail: AuditTrail
}

export type LedgerWork<T> = (ledger: OpenLedger) => Promise<T>

export type TableAt = { readonly endpoint: string | undefined; readonly table: string }

/** Runs `work` over a table. */
export async function withTable<T>(at: TableAt, work: LedgerWork<T>): Promise<T> {
  const client = dynamoClient({ endpoint: at.endpoint, requestTimeoutMs: REQUEST_TIMEOUT_MS })
  const tables = { gateway: at.table, sessions: SESSIONS_TABLE.name }
  const store = dynamoStore({ client, tables, clock: systemClock() })
  try {
    return await work(openLedger(store))
  } finally {
    client.destroy()
  }
}

function openLedger(store: DynamoStore): OpenLedger {
  return {
    accounts: readAccounts(store),
    usageSums: dynamoUsageSums(store),
    auditTrail: dynamoAuditTrail(store),
  }
}

/**
 * Runs `work` over the store of a folder. Throws a StartFault if there is no store, or if a twin
 * uses the folder.
 */
export async function withFolder<T>(path: string, work: LedgerWork<T>): Promise<T> {
  assertCurrentFolder(path)
  const file = toStoreFile(path)
  if (!existsSync(file)) {
    throw new StartFault(`Data folder ${path} holds no store: name the twin's with --data FOLDER.`)
  }
  const folder = lockFolder(path)
  try {
    const { close, store } = openLocalStore({ file, clock: systemClock() })
    try {
      return await work(openLedger(store))
    } finally {
      await close()
    }
  } finally {
    folder.release()
  }
}

/** Locks the folder. A twin that starts meanwhile reports that the folder is in use. */
function lockFolder(path: string): DataFolder {
  try {
    return openDataFolder(path)
  } catch (cause) {
    if (!(cause instanceof FolderInUseFault)) throw cause
    throw new StartFault(
      `Stop the twin first: its folder must be free to be read (${cause.message})`,
      cause,
    )
  }
}

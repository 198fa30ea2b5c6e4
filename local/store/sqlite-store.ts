/** The store ports over SQLite: in the file `store.sqlite` of a folder, or in memory. */
import type { Database } from '../../adapters/sqlite/database/database.ts'
import { openDatabase, openMemoryDatabase } from '../../adapters/sqlite/database/open-database.ts'
import { sqliteStorePorts } from '../../adapters/sqlite/store-ports.ts'
import { sqliteLedgerNews } from '../../adapters/sqlite/usage/ledger-news.ts'
import { pagePut } from '../../adapters/sqlite/usage/usage-pages.ts'
import { Fault } from '../../core/errors.ts'
import type { Clock, Log } from '../../core/ports.ts'
import { StartFault } from '../start-fault.ts'
import type { OpenStore } from './open-store.ts'

export function openSqliteStore(options: {
  /** Undefined: in memory only. */
  readonly file: string | undefined
  readonly hotMs?: number
  readonly clock: Clock
  readonly log: Pick<Log, 'note'>
}): OpenStore {
  const { clock, file, hotMs, log } = options
  const onTrouble = (cause: unknown) => log.note('warn', 'store-trouble', {}, cause)
  const database = file === undefined ? openMemoryDatabase() : open(file, onTrouble)
  const { thread } = database
  return {
    ports: sqliteStorePorts(database, clock, onTrouble, hotMs),
    ledgerNews: sqliteLedgerNews(database),
    forThread:
      thread === undefined || file === undefined
        ? undefined
        : { file, thread, putPage: pagePut(database, clock, hotMs) },
    note: undefined,
    stop: () => database.close(),
  }
}

function open(file: string, onTrouble: (cause: unknown) => void): Database {
  try {
    return openDatabase(file, { onTrouble })
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    throw new StartFault(`${cause.message}. Or choose another folder with --data FOLDER.`, cause)
  }
}

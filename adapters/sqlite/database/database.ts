/**
 * One SQLite file, or a database in memory, as the ports use it. Each piece of work is synchronous and
 * short, so that nothing of this process comes between its statements; other processes are kept out by
 * SQLite's own locks.
 *
 *   process A: BEGIN IMMEDIATE ─ reads ─ writes ─ COMMIT ─ [sync] ─▶ answered
 *   process B:      BEGIN IMMEDIATE ✘ busy ── tried again a moment later ──▶ sees A's rows
 *
 * A process that is killed before COMMIT changed nothing; after it, everything. What the loss of power
 * can take is in docs/decisions/0031-sqlite-store.md.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { epochsOf } from './epochs.ts'
import { patiently } from './patience.ts'
import { faultOf, storeFault } from './store-fault.ts'
import type { StoreThread } from './store-thread.ts'
import { turnEnd } from './turn-end.ts'
import { writeBatch } from './write-batch.ts'

export type Database = {
  /** For messages: the file, or `:memory:`. */
  readonly path: string
  /** Whether other processes may have it open. */
  readonly isShared: boolean
  /**
   * Once for each statement, when the ports are made. Where nobody asks what a write has changed, `get` makes no
   * object for it, as `run` would.
   */
  prepare(sql: string): StatementSync
  /** Runs statements that may each see another state of the database. */
  read<T>(work: () => T): Promise<T>
  /** As `read`, by the end of the turn of the event loop: one look at the file serves all who ask in it. */
  readSoon<T>(work: () => T): Promise<T>
  /** Runs statements that all see one state of the database. */
  snapshot<T>(work: () => T): Promise<T>
  /**
   * Runs `work` in a transaction, which is rolled back when `work` throws. `work` may run more than once,
   * so it has no effect outside the database.
   */
  write<T>(work: () => T): Promise<T>
  /** As `write`, but resolves once the disk has the data, so that a loss of power cannot lose them. */
  writeDurably<T>(work: () => T): Promise<T>
  /** Whether another connection has committed since the last time this was asked. */
  hasChanged(): boolean
  /**
   * A number that stays the same while no other connection commits and no transaction is rolled back. Rows
   * read after it are valid as long as it stays, apart from our own writes. It costs 2 µs, and a row 5.
   */
  epoch(): number
  /** Undefined for a database in memory, which a thread cannot open. */
  readonly thread: StoreThread | undefined
  close(): Promise<void>
}

/** The file behind a database: its state, and its flushes to the disk. */
export type Safekeeping = {
  /** The fault of the file's place, in words; asked before each write. */
  trouble(): string | undefined
  /** Resolves when all that was committed before is on the disk. */
  sync(): Promise<void>
  committed(): void
  readonly thread: StoreThread
  close(): Promise<void>
}

export function databaseOver(
  connection: DatabaseSync,
  path: string,
  keeping: Safekeeping | undefined,
): Database {
  const exec = (sql: string) => {
    const statement = connection.prepare(sql)
    return () => void statement.get()
  }
  const begin = { deferred: exec('BEGIN'), immediate: exec('BEGIN IMMEDIATE') }
  const commit = exec('COMMIT')
  const version = connection.prepare('PRAGMA data_version')
  version.setReturnArrays(true)
  const dataVersion = () => Number(version.get()?.[0])
  let lastVersion = dataVersion()
  const epochs = epochsOf(keeping === undefined ? () => 0 : dataVersion)

  const within = <T>(start: () => void, work: () => T): T => {
    start()
    try {
      epochs.began()
      const result = work()
      commit()
      epochs.committed()
      return result
    } catch (cause) {
      epochs.rolledBack()
      if (connection.isOpen && connection.isTransaction) connection.exec('ROLLBACK')
      throw cause
    }
  }
  const transact = <T>(work: () => T) =>
    attempt(path, () => {
      const trouble = keeping?.trouble()
      if (trouble !== undefined) throw storeFault(path, trouble)
      const result = within(begin.immediate, work)
      keeping?.committed()
      return result
    })
  // In memory a commit costs next to nothing.
  const turn = turnEnd()
  const write = keeping === undefined ? transact : writeBatch(transact, turn.write)
  const read = <T>(work: () => T) => attempt(path, work)
  const readSoon = <T>(work: () => T) =>
    epochs.isFresh()
      ? read(work)
      : new Promise<T>((resolve) => turn.read(() => resolve(read(work))))
  return {
    path,
    isShared: keeping !== undefined,
    prepare: (sql) => connection.prepare(sql),
    read,
    readSoon: keeping === undefined ? read : readSoon,
    snapshot: (work) => attempt(path, () => within(begin.deferred, work)),
    write,
    writeDurably: async (work) => {
      const result = await write(work)
      await keeping?.sync()
      return result
    },
    hasChanged: () => {
      const now = dataVersion()
      const changed = now !== lastVersion
      lastVersion = now
      return changed
    },
    epoch: epochs.now,
    thread: keeping?.thread,
    close: async () => {
      await keeping?.close()
      if (connection.isOpen) connection.close()
    },
  }
}

/** Nearly always the work succeeds at once, and the promise is settled when it is returned. */
function attempt<T>(path: string, work: () => T): Promise<T> {
  const failed = (cause: unknown): never => {
    throw faultOf(path, cause)
  }
  try {
    const result = patiently(work)
    return result instanceof Promise ? result.catch(failed) : Promise.resolve(result)
  } catch (cause) {
    return Promise.reject(faultOf(path, cause))
  }
}

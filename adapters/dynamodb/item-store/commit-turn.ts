/**
 * All writes of one turn of the event loop share a transaction, because the commit is most of its
 * cost:
 *
 *   call a: hold ──┐ applied to the items at once             ┌─▶ a is answered
 *   call b: count ─┼─ end of the turn: BEGIN rows COMMIT ─────┼─▶ b is answered
 *   call c: grant ─┘                                          └─ flush to the disk ─▶ c is answered
 *
 * A request that read an uncommitted item also waits for the commit, so no caller sees a write that
 * a crash could undo. If a commit fails, all writes of its turn are rolled back, and every caller
 * that waits gets the fault. A killed process loses what was not committed. flush-rules.ts says
 * what a power cut can lose.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { Clock } from '../../../core/ports/outside.ts'
import type { ItemRows } from './item-rows.ts'
import type { Safekeeping } from './safekeeping.ts'
import { makeStoreFault, toSqliteFault } from './store-fault.ts'
import type { AnswerWait, WrittenItem } from './written.ts'

export type Commits = {
  /** Resolves when the request may be answered; undefined: at once. Rejects with a fault. */
  kept(touched: AnswerWait): Promise<void> | undefined
  /** Resolves when all writes so far are committed or rolled back. */
  settled(): Promise<void>
  /** Opens the turn's transaction if none is open. */
  begin(): void
  close(): Promise<void>
}

type Needs = {
  readonly connection: DatabaseSync
  readonly rows: ItemRows
  readonly clock: Pick<Clock, 'nowMs'>
  readonly onWritten: (written: WrittenItem) => void
  /** Forgets tokens and numbers of a turn that was rolled back. */
  readonly forget: () => void
}

/** For a file: each turn of the event loop is one transaction. */
export function commitByTurn(
  needs: Needs & { readonly path: string; readonly safe: Safekeeping },
): Commits {
  const { clock, connection, onWritten, path, rows, safe } = needs
  const [begin, commit] = [connection.prepare('BEGIN IMMEDIATE'), connection.prepare('COMMIT')]
  const commitRows = () => {
    const trouble = safe.trouble()
    if (trouble !== undefined) throw makeStoreFault(path, trouble)
    rows.flush()
    if (!connection.isTransaction) return
    // Removes more items than the turn added, but so few that the commit stays short.
    rows.removeExpired(clock.nowMs(), REMOVED_MIN + 2 * rows.written())
    commit.get()
  }
  const rollBack = () => {
    if (connection.isOpen && connection.isTransaction) connection.exec('ROLLBACK')
    rows.forgetAll()
    needs.forget()
  }
  let turn: Promise<void> | undefined
  const end = () => {
    turn = undefined
    try {
      commitRows()
    } catch (cause) {
      rollBack()
      throw toSqliteFault(path, cause)
    }
    for (const written of rows.committed()) onWritten(written)
  }
  const endOfTurn = () => {
    turn ??= new Promise<void>((resolve) => setImmediate(resolve)).then(end)
    return turn
  }
  return {
    kept: (touched) => {
      if (touched === 'nothing') return undefined
      const committed = endOfTurn()
      if (touched === 'flush') return committed.then(safe.sync)
      // The next commit reports a flush that failed.
      if (touched === 'behind') void committed.then(safe.sync).catch(() => {})
      return committed
    },
    settled: async () => {
      await turn?.catch(() => {})
    },
    begin: () => {
      if (!connection.isTransaction) begin.get()
    },
    close: async () => {
      await turn?.catch(() => {})
      await safe.close()
    },
  }
}

/** A commit may remove this many expired items, and two more for each item that it writes. */
const REMOVED_MIN = 16

/** Writes in memory become rows when a query needs them, and after this many writes. */
const WRITES_PER_FLUSH = 64

/** For a store in memory: nothing survives the process, so each request is answered at once. */
export function commitNever({ clock, onWritten, rows }: Needs): Commits {
  let writes = 0
  return {
    kept: (touched) => {
      if (touched === 'nothing') return undefined
      const all = rows.committed()
      writes += all.length
      if (writes >= WRITES_PER_FLUSH) {
        rows.flush()
        rows.removeExpired(clock.nowMs(), REMOVED_MIN + 2 * writes)
        writes = 0
      }
      for (const written of all) onWritten(written)
      return undefined
    },
    settled: async () => rows.flush(),
    begin: () => {},
    close: async () => {},
  }
}

/**
 * All writes of one turn of the event loop share a transaction, whose commit is most of what one costs:
 *
 *   call a: hold ──┐ applied to the items at once             ┌─▶ a is told
 *   call b: count ─┼─ end of the turn: BEGIN rows COMMIT ─────┼─▶ b is told
 *   call c: grant ─┘                                          └─ flush to the disk ─▶ c is told
 *
 * A request that saw an item which is not committed yet waits for the commit, too, so nobody hears of what a crash
 * could take back. When a commit fails, everything of its turn is taken back, and all who waited get the fault. A
 * killed process loses what was not committed. What a loss of power can take is in flush-rules.ts.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { Clock } from '../../../core/ports/outside.ts'
import type { ItemRows } from './item-rows.ts'
import type { Safekeeping } from './safekeeping.ts'
import { faultOf, storeFault } from './store-fault.ts'
import type { Touched, Written } from './written.ts'

export type Commits = {
  /** When the request may be answered; undefined: at once. Rejects with a fault. */
  kept(touched: Touched): Promise<void> | undefined
  /** When all that was written so far is committed, or taken back. */
  settled(): Promise<void>
  /** Opens the transaction of the turn, unless it is open. */
  begin(): void
  close(): Promise<void>
}

type Needs = {
  readonly connection: DatabaseSync
  readonly rows: ItemRows
  readonly clock: Pick<Clock, 'nowMs'>
  readonly onWritten: (written: Written) => void
  /** What was remembered of a turn that was taken back. */
  readonly forget: () => void
}

export function commitByTurn(
  needs: Needs & { readonly path: string; readonly safe: Safekeeping },
): Commits {
  const { clock, connection, onWritten, path, rows, safe } = needs
  const [begin, commit] = [connection.prepare('BEGIN IMMEDIATE'), connection.prepare('COMMIT')]
  const keep = () => {
    const trouble = safe.trouble()
    if (trouble !== undefined) throw storeFault(path, trouble)
    rows.flush()
    if (!connection.isTransaction) return
    // More than the turn has added, and few enough that none takes long.
    rows.removeExpired(clock.nowMs(), REMOVED_MIN + 2 * rows.written())
    commit.get()
  }
  const takeBack = () => {
    if (connection.isOpen && connection.isTransaction) connection.exec('ROLLBACK')
    rows.forgetAll()
    needs.forget()
  }
  let turn: Promise<void> | undefined
  const end = () => {
    turn = undefined
    try {
      keep()
    } catch (cause) {
      takeBack()
      throw faultOf(path, cause)
    }
    for (const written of rows.committed()) onWritten(written)
  }
  const thisTurn = () => {
    turn ??= new Promise<void>((resolve) => setImmediate(resolve)).then(end)
    return turn
  }
  return {
    kept: (touched) => {
      if (touched === 'nothing') return undefined
      const committed = thisTurn()
      if (touched === 'flush') return committed.then(safe.sync)
      // A flush that fails is met by the next commit.
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

/** Expired items that a commit may remove, beside two for each that it writes. */
const REMOVED_MIN = 16

/** Writes in memory become rows when a query asks for them, and after so many. */
const WRITES_PER_FLUSH = 64

/** Nothing survives the process, so everything is answered at once. */
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

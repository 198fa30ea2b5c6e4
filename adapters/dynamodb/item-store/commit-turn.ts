/**
 * All writes of one turn of the event loop share a transaction, whose commit is most of what one costs:
 *
 *   call a: hold ──┐ applied to the items at once             ┌─▶ a is told
 *   call b: count ─┼─ end of the turn: BEGIN rows COMMIT ─────┼─▶ b is told
 *   call c: charge ┘                                          └─ flush to the disk ─▶ c is told
 *
 * A request that saw an item which is not committed yet waits for the commit, too, so nobody hears of what a crash
 * could take back. When a commit fails, everything of its turn is taken back, and all who waited get the fault. A
 * killed process loses what was not committed. What a loss of power can take is in flush-rules.ts.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { Clock } from '../../../core/ports.ts'
import type { ItemRows, Written } from './item-rows.ts'
import type { Safekeeping } from './safekeeping.ts'
import { faultOf, storeFault } from './store-fault.ts'

/** What a request did: nothing that others do not know, or something of this turn, or what must survive. */
export type Touched = 'nothing' | 'turn' | 'flush'

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
    rows.removeExpired(clock.nowMs())
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
      return touched === 'turn' ? committed : committed.then(safe.sync)
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

/** Writes in memory become rows when a query asks for them, or when so many wait. */
const WAITING_MAX = 1_000

/** Nothing survives the process, so everything is answered at once. */
export function commitNever({ clock, onWritten, rows }: Needs): Commits {
  return {
    kept: (touched) => {
      if (touched === 'nothing') return undefined
      for (const written of rows.committed()) onWritten(written)
      if (rows.waiting() > WAITING_MAX) {
        rows.flush()
        rows.removeExpired(clock.nowMs())
      }
      return undefined
    },
    settled: async () => rows.flush(),
    begin: () => {},
    close: async () => {},
  }
}

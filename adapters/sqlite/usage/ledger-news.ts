/**
 * The port LedgerNews. An outcome is news while its number is above that of `outcomes_taken`; a void gives its
 * row the next number. A grant has a row for its news until it is taken. Two processes that take at once take
 * the same, which does no harm.
 *
 *   call: writes its outcome ─▶ taker: reads it ─ archives ─ done: taken up to its number ─▶ removeCold
 *   void in between: the row goes to the end ───────────────────────────────────────────────┘ waits for it
 * So an outcome that was taken stands in the archive as it is, and may go. The newest row stays, so that
 * numbers only grow.
 */
import type { StatementSync } from 'node:sqlite'
import type { LedgerNews, NewsPlace } from '../../../core/ports.ts'
import type { Database } from '../database/database.ts'
import { intAt, type Row, textAt } from '../database/row.ts'
import { inSteps, ROWS_PER_STEP } from '../database/steps.ts'
import { grantFrom } from '../ledger/grants.ts'
import { outcomeFrom } from '../ledger/outcome-rows.ts'
import { coldOutcomes } from './cold-outcomes.ts'

export function sqliteLedgerNews(database: Database): LedgerNews {
  const calls = database.prepare(
    `SELECT * FROM outcomes
     WHERE seq > max(?, (SELECT seq FROM outcomes_taken WHERE only = 1)) AND seq <= ?
     ORDER BY seq LIMIT ?`,
  )
  const grants = database.prepare(
    `SELECT news.seq, grants.* FROM grant_news AS news
     JOIN grants ON grants.uid = news.uid AND grants.grantId = news.grantId
     WHERE news.seq > ? AND news.seq <= ? ORDER BY news.seq LIMIT ?`,
  )
  const callsDone = database.prepare('UPDATE outcomes_taken SET seq = max(seq, ?) WHERE only = 1')
  const grantsDone = database.prepare('DELETE FROM grant_news WHERE seq <= ?')
  const read = <T>(rows: StatementSync, range: Range, entryOf: (row: Row) => T) =>
    inRange(range, (after, limit) =>
      database.read(() => {
        const found = rows.all(after, range.upTo, limit)
        return { entries: found.map(entryOf), upTo: lastOf(found) ?? after }
      }),
    )
  return {
    read: async ({ after = FROM_START, limit, upTo = TO_END }) => {
      const found = {
        calls: await read(calls, { after: after.calls, upTo: upTo.calls, limit }, callFrom),
        grants: await read(grants, { after: after.grants, upTo: upTo.grants, limit }, grantEntry),
      }
      return {
        entries: [...found.calls.entries, ...found.grants.entries],
        upTo: { calls: found.calls.upTo, grants: found.grants.upTo },
      }
    },
    done: (upTo) =>
      database.write(() => {
        callsDone.run(upTo.calls)
        grantsDone.run(upTo.grants)
      }),
    removeCold: coldOutcomes(database),
  }
}

const FROM_START: NewsPlace = { calls: 0, grants: 0 }
const TO_END: NewsPlace = { calls: Number.MAX_SAFE_INTEGER, grants: Number.MAX_SAFE_INTEGER }

type Range = { readonly after: number; readonly upTo: number; readonly limit: number }
type Found<T> = { readonly entries: readonly T[]; readonly upTo: number }

/** News that comes between two steps is behind the last one: its numbers only grow. */
async function inRange<T>(
  { after, limit }: Range,
  step: (after: number, limit: number) => Promise<Found<T>>,
): Promise<Found<T>> {
  const entries: T[] = []
  let upTo = after
  await inSteps(async () => {
    const wanted = Math.min(ROWS_PER_STEP, limit - entries.length)
    const found = await step(upTo, wanted)
    entries.push(...found.entries)
    upTo = found.upTo
    return found.entries.length === wanted && entries.length < limit
  })
  return { entries, upTo }
}

function callFrom(row: Row) {
  return { kind: 'call', outcome: outcomeFrom(row) } as const
}

function grantEntry(row: Row) {
  return { kind: 'grant', uid: textAt(row, 'uid'), grant: grantFrom(row) } as const
}

function lastOf(rows: readonly Row[]): number | undefined {
  const last = rows.at(-1)
  return last === undefined ? undefined : intAt(last, 'seq')
}

/**
 * The port LedgerNews: a row for each outcome or grant that was written or changed, in the transaction of
 * that write, until it is taken. Two processes that take at once take the same rows, which does no harm.
 *
 *   call: writes outcome and news ─▶ taker: reads both ─ archives ─ done: deletes the news ─▶ removeCold
 *   void in between: another news ──────────────────────────────────────────────────────────┘ waits for it
 * So an outcome without news stands in the archive as it is, and may go.
 */
import type { StatementSync } from 'node:sqlite'
import type { LedgerNews, NewsPlace } from '../../../core/ports.ts'
import type { Database } from '../database/database.ts'
import { intAt, type Row, textAt } from '../database/row.ts'
import { inSteps, ROWS_PER_STEP } from '../database/steps.ts'
import { grantFrom } from '../ledger/grants.ts'
import { outcomeFrom } from '../ledger/outcome-rows.ts'

export function sqliteLedgerNews(database: Database): LedgerNews {
  const calls = database.prepare(
    `SELECT news.seq, outcomes.* FROM outcome_news AS news
     JOIN outcomes ON outcomes.uid = news.uid AND outcomes.callId = news.callId
     WHERE news.seq > ? AND news.seq <= ? ORDER BY news.seq LIMIT ?`,
  )
  const grants = database.prepare(
    `SELECT news.seq, grants.* FROM grant_news AS news
     JOIN grants ON grants.uid = news.uid AND grants.grantId = news.grantId
     WHERE news.seq > ? AND news.seq <= ? ORDER BY news.seq LIMIT ?`,
  )
  const callsDone = database.prepare('DELETE FROM outcome_news WHERE seq < ?')
  // Stays as the newest number, so that a later row never gets one that was taken.
  const lastDone = database.prepare("UPDATE outcome_news SET uid = '', callId = '' WHERE seq = ?")
  const grantsDone = database.prepare('DELETE FROM grant_news WHERE seq <= ?')
  // Once an hour, over all outcomes: an index by time would cost each call more than that.
  const remove = database.prepare(
    `DELETE FROM outcomes WHERE (uid, callId) IN
       (SELECT uid, callId FROM outcomes
        WHERE createdAtMs < ? AND createdAtMs >= (SELECT sinceMs FROM archived_since)
          AND (uid, callId) NOT IN (SELECT uid, callId FROM outcome_news)
        LIMIT ?)`,
  )
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
        lastDone.run(upTo.calls)
        grantsDone.run(upTo.grants)
      }),
    removeCold: ({ beforeMs, limit }) =>
      database.write(() => Number(remove.run(beforeMs, limit).changes)),
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

/**
 * The port LedgerNews: a row for each outcome or grant that was written or changed, in the transaction of
 * that write, until it is taken. Two processes that take at once take the same rows, which does no harm.
 *
 *   call: writes outcome and news ─▶ taker: reads both ─ archives ─ done: deletes the news ─▶ removeCold
 *   void in between: another news ──────────────────────────────────────────────────────────┘ waits for it
 * So an outcome without news stands in the archive as it is, and may go.
 */
import type { LedgerNews, NewsPlace } from '../../../core/ports.ts'
import type { Database } from '../database/database.ts'
import { intAt, type Row, textAt } from '../database/row.ts'
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
  const callsDone = database.prepare('DELETE FROM outcome_news WHERE seq <= ?')
  const grantsDone = database.prepare('DELETE FROM grant_news WHERE seq <= ?')
  // Once an hour, over all outcomes: an index by time would cost each call more than that.
  const remove = database.prepare(
    `DELETE FROM outcomes WHERE (uid, callId) IN
       (SELECT uid, callId FROM outcomes
        WHERE createdAtMs < ? AND createdAtMs >= (SELECT sinceMs FROM archived_since)
          AND (uid, callId) NOT IN (SELECT uid, callId FROM outcome_news)
        LIMIT ?)`,
  )
  return {
    read: ({ after = FROM_START, limit, upTo = TO_END }) =>
      database.read(() => {
        const found = {
          calls: calls.all(after.calls, upTo.calls, limit),
          grants: grants.all(after.grants, upTo.grants, limit),
        }
        return {
          entries: [
            ...found.calls.map((row) => ({ kind: 'call', outcome: outcomeFrom(row) }) as const),
            ...found.grants.map(
              (row) => ({ kind: 'grant', uid: textAt(row, 'uid'), grant: grantFrom(row) }) as const,
            ),
          ],
          upTo: {
            calls: lastOf(found.calls) ?? after.calls,
            grants: lastOf(found.grants) ?? after.grants,
          },
        }
      }),
    done: (upTo) =>
      database.write(() => {
        callsDone.run(upTo.calls)
        grantsDone.run(upTo.grants)
      }),
    removeCold: ({ beforeMs, limit }) =>
      database.write(() => Number(remove.run(beforeMs, limit).changes)),
  }
}

const FROM_START: NewsPlace = { calls: 0, grants: 0 }
const TO_END: NewsPlace = { calls: Number.MAX_SAFE_INTEGER, grants: Number.MAX_SAFE_INTEGER }

function lastOf(rows: readonly Row[]): number | undefined {
  const last = rows.at(-1)
  return last === undefined ? undefined : intAt(last, 'seq')
}

/**
 * Removes outcomes that are older than the hot time and stand in the archive. An index by time would cost each call
 * more than the walk over all outcomes, once an hour, in steps between which calls are served. A call with news waits
 * for the archive:
 *
 *   look in 5,000 outcomes ─▶ 100 cold ones ─▶ news read ─▶ BEGIN ─ younger news read ─ removed ─ COMMIT ─▶ go on
 *                                   void in between: news ─┘        └─ seen here, at the latest
 */
import type { LedgerNews } from '../../../core/ports.ts'
import type { Database } from '../database/database.ts'
import { intAt, type Row, textAt } from '../database/row.ts'
import { giveWay, inSteps, ROWS_PER_STEP } from '../database/steps.ts'

/** Rows that one statement looks at: about a millisecond. */
const LOOK_ROWS = 5_000
/** Rows of news that one statement reads. */
const NEWS_ROWS = 1_000

type Place = { readonly uid: string; readonly callId: string }

const FROM_START: Place = { uid: '', callId: '' }

/** The walk goes on where the batch before ended, and begins anew after the last outcome. */
export function removingCold(database: Database): LedgerNews['removeCold'] {
  const look = lookFor(database)
  const readNews = newsReader(database)
  const remove = database.prepare('DELETE FROM outcomes WHERE uid = ? AND callId = ?')
  const removeAll = async (cold: readonly Place[]): Promise<number> => {
    const news = await readNews.all()
    return database.write(() => {
      const younger = readNews.after(news.upTo)
      // There may be more than were read; the walk of the next hour comes here again.
      if (younger.length === NEWS_ROWS) return 0
      const waiting = (key: string) => news.keys.has(key) || younger.includes(key)
      const free = cold.filter((one) => !waiting(keyOf(one)))
      for (const { uid, callId } of free) remove.run(uid, callId)
      return free.length
    })
  }
  let place = FROM_START
  return async ({ beforeMs, limit }) => {
    let removed = 0
    await inSteps(async () => {
      const { cold, end } = await look(place, beforeMs, Math.min(ROWS_PER_STEP, limit - removed))
      if (cold.length > 0) removed += await removeAll(cold)
      place = end ?? FROM_START
      return end !== undefined && removed < limit
    })
    return removed
  }
}

/** Cold outcomes behind a place, and up to where was looked; `end` is undefined where no outcome is left. */
function lookFor(database: Database) {
  const stepEnd = database.prepare(
    `SELECT uid, callId FROM outcomes WHERE (uid, callId) > (?, ?)
     ORDER BY uid, callId LIMIT 1 OFFSET ${LOOK_ROWS - 1}`,
  )
  const inStep = database.prepare(
    `SELECT uid, callId FROM outcomes
     WHERE (uid, callId) > (?, ?) AND (uid, callId) <= (?, ?)
       AND createdAtMs < ? AND createdAtMs >= (SELECT sinceMs FROM archived_since)
     ORDER BY uid, callId LIMIT ?`,
  )
  const last = { uid: LAST_TEXT, callId: LAST_TEXT }
  return (after: Place, beforeMs: number, limit: number) =>
    database.read(() => {
      const row = stepEnd.get(after.uid, after.callId)
      const end = row === undefined ? undefined : placeFrom(row)
      const { callId, uid } = end ?? last
      const found = inStep.all(after.uid, after.callId, uid, callId, beforeMs, limit)
      const cold = found.map(placeFrom)
      return { cold, end: cold.length === limit ? cold.at(-1) : end }
    })
}

/** Sorts behind every id. */
const LAST_TEXT = '\u{10FFFF}'

/** The calls that have news: all, in steps, or those behind a number. */
function newsReader(database: Database) {
  const behind = database.prepare(
    `SELECT seq, uid, callId FROM outcome_news WHERE seq > ? ORDER BY seq LIMIT ${NEWS_ROWS}`,
  )
  const all = async () => {
    const keys = new Set<string>()
    let upTo = 0
    for (;;) {
      const rows = await database.read(() => behind.all(upTo))
      for (const row of rows) keys.add(keyOf(placeFrom(row)))
      upTo = rows.length === 0 ? upTo : intAt(rows.at(-1) ?? {}, 'seq')
      if (rows.length < NEWS_ROWS) return { keys, upTo }
      await giveWay()
    }
  }
  return { all, after: (seq: number) => behind.all(seq).map((row) => keyOf(placeFrom(row))) }
}

function placeFrom(row: Row): Place {
  return { uid: textAt(row, 'uid'), callId: textAt(row, 'callId') }
}

function keyOf({ callId, uid }: Place): string {
  return `${uid}\n${callId}`
}

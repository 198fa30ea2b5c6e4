/** Pages of a user's outcomes, newest call first: call ids sort by time, and the index is by them. */
import { CALL_ID_RANGE } from '../../../core/call/call-id.ts'
import { LEDGER_PAGE_MAX } from '../../../core/ledger/limits.ts'
import type { Ledger } from '../../../core/ports.ts'
import type { Database } from '../database/database.ts'
import { outcomeFrom } from './outcome-rows.ts'

type Page = Awaited<ReturnType<Ledger['list']>>

export function outcomePages(database: Database) {
  const older = database.prepare(
    `SELECT * FROM outcomes WHERE uid = ? AND callId > ? AND callId < ?
     ORDER BY callId DESC LIMIT ?`,
  )
  return ({ uid, before, limit }: Parameters<Ledger['list']>[0]): Page => {
    const { from, to } = CALL_ID_RANGE
    const end = before !== undefined && before < to ? before : to
    const size = Math.min(limit, LEDGER_PAGE_MAX)
    const found = older.all(uid, from, end, size + 1).map(outcomeFrom)
    const outcomes = found.slice(0, size)
    return { outcomes, next: found.length > size ? outcomes.at(-1)?.callId : undefined }
  }
}

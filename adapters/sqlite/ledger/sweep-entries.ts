/** The port SweepEntries: where the sweep looks for holds, and how far it has come. */
import { SWEEP_ENTRY_TTL_SEC } from '../../../core/ledger/limits.ts'
import type { Clock, SweepEntries } from '../../../core/ports.ts'
import type { Database } from '../database/database.ts'
import { expiredRows } from '../database/expired-rows.ts'
import { intAt, textAt } from '../database/row.ts'

export function sqliteSweepEntries(database: Database, clock: Pick<Clock, 'nowMs'>): SweepEntries {
  const enter = enterForSweep(database, clock)
  const list = database.prepare(
    'SELECT uid FROM sweep_entries WHERE minute = ? AND uid > ? ORDER BY uid LIMIT ?',
  )
  const readCursor = database.prepare('SELECT * FROM sweep_cursor WHERE only = 1')
  const writeCursor = database.prepare(
    `INSERT INTO sweep_cursor (only, minute, after, aheadFrom, aheadTo) VALUES (1, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET minute = excluded.minute, after = excluded.after,
       aheadFrom = excluded.aheadFrom, aheadTo = excluded.aheadTo
       WHERE (excluded.minute, excluded.after) >= (minute, after)`,
  )
  return {
    put: (entry) => database.write(() => enter(entry)),
    list: async (minute, { after, limit }) => {
      const rows = await database.read(() => list.all(minute, after, limit))
      const uids = rows.map((row) => textAt(row, 'uid'))
      const entries = uids.map((uid) => ({ uid, at: uid }))
      return { entries, next: rows.length < limit ? undefined : uids.at(-1) }
    },
    readCursor: async () => {
      const row = await database.read(() => readCursor.get())
      if (row === undefined) return undefined
      const [from, to] = [intAt(row, 'aheadFrom'), intAt(row, 'aheadTo')]
      const ahead = to === 0 ? {} : { ahead: { from, to } }
      return { minute: intAt(row, 'minute'), after: textAt(row, 'after'), ...ahead }
    },
    writeCursor: ({ minute, after, ahead }) =>
      database.write(() => void writeCursor.run(minute, after, ahead?.from ?? 0, ahead?.to ?? 0)),
  }
}

/** Enters a user; runs inside the caller's write. */
export function enterForSweep(
  database: Database,
  clock: Pick<Clock, 'nowMs'>,
): (entry: { readonly uid: string; readonly minute: number }) => void {
  const add = database.prepare(
    'INSERT INTO sweep_entries (minute, uid) VALUES (?, ?) ON CONFLICT DO NOTHING',
  )
  const removeOld = expiredRows(database, {
    table: 'sweep_entries',
    key: 'minute, uid',
    end: 'minute',
  })
  return ({ minute, uid }) => {
    // Only a new row makes the table larger.
    if (add.run(minute, uid).changes === 0) return
    removeOld(Math.floor((clock.nowMs() / 1_000 - SWEEP_ENTRY_TTL_SEC) / 60))
  }
}

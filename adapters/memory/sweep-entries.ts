/** In-memory twin of the port SweepEntries. */
import type { Clock, SweepCursor, SweepEntries } from '../../core/ports.ts'
import { type Database, ONLY } from './database.ts'

export function memorySweepEntries(database: Database, clock: Clock): SweepEntries {
  database.sweepEntries.sweep(clock.nowMs())
  const readCursor = () => database.sweepCursor.get(ONLY, ONLY)
  return {
    put: async (entry) => enterForSweep(database, clock, entry),
    list: async (minute, { after, limit }) => {
      const page = { limit, ...(after === '' ? {} : { after }) }
      const listed = database.sweepEntries.list(String(minute), page)
      const entries = listed.map(({ uid }) => ({ uid, at: uid }))
      return { entries, next: listed.length < limit ? undefined : entries.at(-1)?.at }
    },
    readCursor: async () => readCursor(),
    writeCursor: async (cursor) => {
      const stored = readCursor()
      if (stored === undefined || !isBehind(cursor, stored)) {
        database.sweepCursor.put(ONLY, ONLY, cursor)
      }
    },
  }
}

export function enterForSweep(
  database: Database,
  clock: Clock,
  { minute, uid }: { readonly minute: number; readonly uid: string },
): void {
  const sort = String(minute)
  if (database.sweepEntries.get(sort, uid) !== undefined) return
  database.sweepEntries.put(sort, uid, { uid, minute })
  database.sweepEntries.sweepSome(clock.nowMs())
}

function isBehind(a: SweepCursor, b: SweepCursor): boolean {
  return a.minute < b.minute || (a.minute === b.minute && a.after < b.after)
}

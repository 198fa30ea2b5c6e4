/** In-memory twin of the port SweepEntries. */
import type { SweepEntries } from '../../core/ports.ts'
import { type Database, ONLY } from './database.ts'

export function memorySweepEntries(database: Database): SweepEntries {
  const readCursor = () => database.sweepCursor.get(ONLY, ONLY)?.minute
  return {
    put: async ({ uid, minute }) => database.sweepEntries.put(String(minute), uid, { uid }),
    list: async (minute, limit) => {
      const listed = database.sweepEntries.list(String(minute), { limit: limit + 1 })
      const uids = listed.slice(0, limit).map((sweepEntry) => sweepEntry.uid)
      return { uids, isWhole: listed.length <= limit }
    },
    remove: async ({ uid, minute }) => database.sweepEntries.remove(String(minute), uid),
    readCursor: async () => readCursor(),
    writeCursor: async (minute) => {
      const cursor = readCursor()
      if (cursor !== undefined && cursor >= minute) return
      database.sweepCursor.put(ONLY, ONLY, { minute })
    },
  }
}

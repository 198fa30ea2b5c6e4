/** In-memory twin of the port SweepEntries. */
import type { SweepEntries } from '../../core/ports.ts'
import { type Cells, ONLY } from './database.ts'

export function memorySweepEntries(cells: Cells): SweepEntries {
  const readCursor = () => cells.sweepCursor.get(ONLY, ONLY)?.minute
  return {
    put: async ({ uid, minute }) => cells.sweepEntries.put(String(minute), uid, { uid }),
    list: async (minute, limit) =>
      cells.sweepEntries.list(String(minute), { limit }).map((sweepEntry) => sweepEntry.uid),
    remove: async ({ uid, minute }) => cells.sweepEntries.remove(String(minute), uid),
    readCursor: async () => readCursor(),
    writeCursor: async (minute) => {
      const cursor = readCursor()
      if (cursor !== undefined && cursor >= minute) return
      cells.sweepCursor.put(ONLY, ONLY, { minute })
    },
  }
}

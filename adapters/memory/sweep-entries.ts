/** In-memory twin of the port SweepMarks. */
import type { SweepMarks } from '../../core/ports.ts'
import { type Cells, ONLY } from './database.ts'

export function memorySweepMarks(cells: Cells): SweepMarks {
  const readCursor = () => cells.sweepCursor.get(ONLY, ONLY)?.minute
  return {
    mark: async ({ uid, minute }) => cells.sweepMarks.put(String(minute), uid, { uid }),
    list: async (minute, limit) =>
      cells.sweepMarks.list(String(minute), { limit }).map((mark) => mark.uid),
    remove: async ({ uid, minute }) => cells.sweepMarks.remove(String(minute), uid),
    readCursor: async () => readCursor(),
    writeCursor: async (minute) => {
      const cursor = readCursor()
      if (cursor !== undefined && cursor >= minute) return
      cells.sweepCursor.put(ONLY, ONLY, { minute })
    },
  }
}

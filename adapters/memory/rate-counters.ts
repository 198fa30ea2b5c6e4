/** In-memory twin of the port MinuteCounter. */
import type { Clock, MinuteCounter } from '../../core/ports.ts'
import type { Cells } from './database.ts'

export function memoryMinutes(cells: Cells, clock: Clock): MinuteCounter {
  cells.minutes.sweep(clock.nowMs())
  return {
    count: async ({ keyHash, minute }) => {
      const sort = String(minute)
      const count = (cells.minutes.get(keyHash, sort)?.count ?? 0) + 1
      cells.minutes.put(keyHash, sort, { minute, count })
      // Only a new row can make them more.
      if (count === 1) cells.minutes.sweepSome(clock.nowMs())
      return count
    },
  }
}

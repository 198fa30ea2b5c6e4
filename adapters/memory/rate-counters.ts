/** In-memory twin of the port RateCounters. */
import type { Clock, RateCounters } from '../../core/ports.ts'
import type { Database } from './database.ts'
import { enterForSweep } from './sweep-entries.ts'

export function memoryRateCounters(database: Database, clock: Clock): RateCounters {
  database.rateCounters.sweep(clock.nowMs())
  return {
    count: async ({ keyHash, minute, uid }) => {
      const sort = String(minute)
      const count = (database.rateCounters.get(keyHash, sort)?.count ?? 0) + 1
      database.rateCounters.put(keyHash, sort, { minute, count })
      if (uid !== undefined) enterForSweep(database, clock, { uid, minute })
      // Only a new row can make them more.
      if (count === 1) database.rateCounters.sweepSome(clock.nowMs())
      return count
    },
    read: async ({ keyHash, minute }) =>
      database.rateCounters.get(keyHash, String(minute))?.count ?? 0,
  }
}

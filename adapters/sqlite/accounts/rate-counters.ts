/** The port RateCounters: one statement, which adds and answers. A loss of power may lose a count. */
import { MINUTE_COUNTER_TTL_SEC } from '../../../core/access/limits.ts'
import type { Clock, RateCounters } from '../../../core/ports.ts'
import type { Database } from '../database/database.ts'
import { expiredRows } from '../database/expired-rows.ts'
import { intAt } from '../database/row.ts'
import { enterForSweep } from '../ledger/sweep-entries.ts'

export function sqliteRateCounters(database: Database, clock: Pick<Clock, 'nowMs'>): RateCounters {
  const add = database.prepare(
    `INSERT INTO rate_counters (keyHash, minute, calls) VALUES (?, ?, 1)
     ON CONFLICT DO UPDATE SET calls = calls + 1 RETURNING calls`,
  )
  const find = database.prepare('SELECT calls FROM rate_counters WHERE keyHash = ? AND minute = ?')
  const enter = enterForSweep(database, clock)
  const removeOld = expiredRows(database, {
    table: 'rate_counters',
    key: 'keyHash, minute',
    end: 'minute',
  })
  return {
    count: ({ keyHash, minute, uid }) =>
      database.write(() => {
        const calls = intAt(add.get(keyHash, minute) ?? {}, 'calls')
        // Only a new row makes the table larger.
        if (calls === 1) removeOld(lastMinuteOver(clock.nowMs()))
        if (uid !== undefined) enter({ uid, minute })
        return calls
      }),
    read: async ({ keyHash, minute }) => {
      const row = await database.read(() => find.get(keyHash, minute))
      return row === undefined ? 0 : intAt(row, 'calls')
    },
  }
}

/** The newest minute whose counters are no longer read. */
function lastMinuteOver(nowMs: number): number {
  return Math.floor((nowMs - MINUTE_COUNTER_TTL_SEC * 1_000) / 60_000)
}

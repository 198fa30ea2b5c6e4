/**
 * The port RateCounters. A count that this connection knows is written without being read; any other one by
 * one statement, which adds and answers. A loss of power may lose a count.
 */
import { MINUTE_COUNTER_TTL_SEC } from '../../../core/access/limits.ts'
import type { Clock, RateCounters } from '../../../core/ports.ts'
import type { Database } from '../database/database.ts'
import { expiredRows } from '../database/expired-rows.ts'
import { knownRows } from '../database/known-rows.ts'
import { intAt } from '../database/row.ts'
import { enterForSweep } from '../ledger/sweep-entries.ts'

/** The last minute of a key in which it was counted, and whom that entered for the sweep. */
type Counted = { readonly minute: number; readonly uid: string | undefined; calls: number }

/** Keys at once: 200 bytes each. */
const KNOWN_COUNTS_MAX = 4_000

export function sqliteRateCounters(database: Database, clock: Pick<Clock, 'nowMs'>): RateCounters {
  const add = database.prepare(
    `INSERT INTO rate_counters (keyHash, minute, calls) VALUES (?, ?, 1)
     ON CONFLICT DO UPDATE SET calls = calls + 1 RETURNING calls`,
  )
  const set = database.prepare(
    'UPDATE rate_counters SET calls = ? WHERE keyHash = ? AND minute = ?',
  )
  const find = database.prepare('SELECT calls FROM rate_counters WHERE keyHash = ? AND minute = ?')
  const enter = enterForSweep(database, clock)
  const removeOld = expiredRows(database, {
    table: 'rate_counters',
    key: 'keyHash, minute',
    end: 'minute',
  })
  const known = knownRows<Counted>(KNOWN_COUNTS_MAX)
  const addOne = (keyHash: string, minute: number) => {
    const calls = intAt(add.get(keyHash, minute) ?? {}, 'calls')
    // Only a new row makes the table larger.
    if (calls === 1) removeOld(lastMinuteOver(clock.nowMs()))
    return calls
  }
  return {
    count: ({ keyHash, minute, uid }) =>
      database.write(() => {
        const epoch = database.epoch()
        const before = known.of(keyHash, epoch)
        if (before?.minute === minute && before.uid === uid) {
          before.calls += 1
          if (set.run(before.calls, keyHash, minute).changes === 1) return before.calls
        }
        const calls = addOne(keyHash, minute)
        if (uid !== undefined) enter({ uid, minute })
        known.keep(keyHash, epoch, { minute, uid, calls })
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

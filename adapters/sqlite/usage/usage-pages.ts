/** The port UsagePages. */
import { LEDGER_HOT_MS_DEFAULT } from '../../../core/ledger/limits.ts'
import type { Clock, UsagePages } from '../../../core/ports.ts'
import { SLOT_MS } from '../../../core/usage/slots.ts'
import { readRows, writeRows } from '../../../core/usage/usage-page.ts'
import type { Database } from '../database/database.ts'
import { expiredRows } from '../database/expired-rows.ts'
import { textAt } from '../database/row.ts'

/** Pages end with the calls that are in them. */
export function sqliteUsagePages(
  database: Database,
  clock: Pick<Clock, 'nowMs'>,
  hotMs = LEDGER_HOT_MS_DEFAULT,
): UsagePages {
  const put = database.prepare(
    'INSERT OR REPLACE INTO usage_pages (slot, id, rows, expiresAtMs) VALUES (?, ?, ?, ?)',
  )
  const list = database.prepare('SELECT id, rows FROM usage_pages WHERE slot = ? ORDER BY id')
  const removeOld = expiredRows(database, {
    table: 'usage_pages',
    key: 'rowid',
    end: 'expiresAtMs',
  })
  return {
    put: ({ id, rows, slot }) => {
      const text = writeRows(rows)
      return database.write(() => {
        put.run(slot, id, text, (slot + 1) * SLOT_MS + hotMs)
        removeOld(clock.nowMs())
      })
    },
    list: async (slot) =>
      (await database.read(() => list.all(slot))).map((row) => ({
        slot,
        id: textAt(row, 'id'),
        rows: readRows(textAt(row, 'rows')),
      })),
  }
}

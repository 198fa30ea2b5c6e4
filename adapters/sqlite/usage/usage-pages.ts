/** The port UsagePages. */
import type { Clock, UsagePages } from '../../../core/ports.ts'
import { LEDGER_HOT_MS } from '../../../core/usage/limits.ts'
import { SLOT_MS } from '../../../core/usage/slots.ts'
import { readRows, writeRows } from '../../../core/usage/usage-page.ts'
import type { Database } from '../database/database.ts'
import { expiredRows } from '../database/expired-rows.ts'
import { textAt } from '../database/row.ts'

export function sqliteUsagePages(database: Database, clock: Pick<Clock, 'nowMs'>): UsagePages {
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
        put.run(slot, id, text, slot * SLOT_MS + LEDGER_HOT_MS)
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

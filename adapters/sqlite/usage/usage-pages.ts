/** The port UsagePages. */
import { LEDGER_HOT_MS_DEFAULT } from '../../../core/ledger/limits.ts'
import type { Clock, UsagePages } from '../../../core/ports.ts'
import { SLOT_MS } from '../../../core/usage/slots.ts'
import { readRows, writeRows } from '../../../core/usage/usage-page.ts'
import type { Database } from '../database/database.ts'
import { expiredRows } from '../database/expired-rows.ts'
import { textAt } from '../database/row.ts'
import { giveWay } from '../database/steps.ts'

/** A page with its rows as they are stored. */
export type PageText = { readonly slot: number; readonly id: string; readonly text: string }

export function sqliteUsagePages(
  database: Database,
  clock: Pick<Clock, 'nowMs'>,
  hotMs?: number,
): UsagePages {
  const put = pagePut(database, clock, hotMs)
  const next = database.prepare(
    'SELECT id, rows FROM usage_pages WHERE slot = ? AND id > ? ORDER BY id LIMIT 1',
  )
  return {
    put: ({ id, rows, slot }) => put({ id, slot, text: writeRows(rows) }),
    async *list(slot) {
      for (let after = ''; ; ) {
        const row = await database.read(() => next.get(slot, after))
        if (row === undefined) return
        after = textAt(row, 'id')
        yield { slot, id: after, rows: readRows(textAt(row, 'rows')) }
        await giveWay()
      }
    },
  }
}

/** Pages end with the calls that are in them. */
export function pagePut(
  database: Database,
  clock: Pick<Clock, 'nowMs'>,
  hotMs = LEDGER_HOT_MS_DEFAULT,
): (page: PageText) => Promise<void> {
  const put = database.prepare(
    'INSERT OR REPLACE INTO usage_pages (slot, id, rows, expiresAtMs) VALUES (?, ?, ?, ?)',
  )
  const removeOld = expiredRows(database, {
    table: 'usage_pages',
    key: 'rowid',
    end: 'expiresAtMs',
  })
  return ({ id, slot, text }) =>
    database.write(() => {
      put.run(slot, id, text, (slot + 1) * SLOT_MS + hotMs)
      removeOld(clock.nowMs())
    })
}

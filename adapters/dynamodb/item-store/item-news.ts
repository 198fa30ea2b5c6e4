/**
 * The port LedgerNews, which replaces the stream of the Gateway table on AWS. Each ledger entry
 * gets a number when it is written, and the next free number when it is written again. An entry
 * cannot expire until the feed calls `done` with its number.
 *
 *   outcome written ─▶ feed: reads it ─ archives it ─ done up to its number ─▶ the item may expire
 *   void in between: the item gets a later number ───────────────────────┘ it waits for that number
 */
import type { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import type { ArchiveEntry } from '../../../core/archive/archive-entry.ts'
import type { LedgerNews } from '../../../core/ports/usage.ts'
import { readItem } from '../items/item-text.ts'
import { isLedgerEntry, readLedgerEntry } from '../usage/ledger-record.ts'
import type { WrittenItem } from './written.ts'

export type ItemNews = LedgerNews & {
  /** The next number for a ledger entry; undefined for any other item. */
  changeOf(written: WrittenItem): number | undefined
  /** Reads the last number again after a rollback. */
  forget(): void
}

/** Items of one step, about a millisecond; other requests are served between two steps. */
const ITEMS_PER_STEP = 100

/** `settled` resolves when all earlier writes are rows of the table. */
export function itemNews(connection: DatabaseSync, settled: () => Promise<void>): ItemNews {
  const last = connection.prepare(
    `SELECT max(coalesce((SELECT max(change) FROM gateway), 0),
       (SELECT number FROM places WHERE name = 'done')) AS last`,
  )
  const read = connection.prepare(
    `SELECT change, item FROM gateway
     WHERE change > max(?, (SELECT number FROM places WHERE name = 'done')) AND change <= ?
     ORDER BY change LIMIT ?`,
  )
  const done = connection.prepare(`UPDATE places SET number = max(number, ?) WHERE name = 'done'`)
  const lastChange = () => Number(last.get()?.['last'])
  let change = lastChange()
  return {
    changeOf: ({ stored, table }) => {
      if (table !== 'gateway' || stored === undefined || !isLedgerEntry(stored.item))
        return undefined
      change += 1
      return change
    },
    forget: () => {
      change = lastChange()
    },
    read: async ({ after = 0, limit, upTo = Number.MAX_SAFE_INTEGER }) => {
      await settled()
      const entries: ArchiveEntry[] = []
      let place = after
      for (;;) {
        const wanted = Math.min(ITEMS_PER_STEP, limit - entries.length)
        const found = read.all(place, upTo, wanted)
        for (const row of found) {
          entries.push(readLedgerEntry(readItem(String(row['item']))))
          place = Number(row['change'])
        }
        if (found.length < wanted || entries.length >= limit) return { entries, upTo: place }
        await setImmediate()
      }
    },
    done: async (upTo) => {
      await settled()
      done.get(upTo)
    },
  }
}

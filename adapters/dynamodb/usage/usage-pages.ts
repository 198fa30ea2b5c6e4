/**
 * usage:page:{slot}/{id}: the calls of one batch of the table's stream that fall in one slot of ten
 * minutes, as gzipped rows. The id is made from the rows, so a page that is put twice is one item.
 */
import { LEDGER_HOT_MS_DEFAULT } from '../../../core/ledger/limits.ts'
import type { UsagePages } from '../../../core/ports/usage.ts'
import { SLOT_MS } from '../../../core/usage/slots.ts'
import { readRows, type UsagePage, writeRows } from '../../../core/usage/usage-page.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { bytesAt, type Item, textAt } from '../client/item.ts'
import type { Permissions } from '../permission.ts'
import { gunzipText, gzipText } from '../records/packed.ts'
import { USAGE_PAGES_PK, usagePageKey } from '../table.ts'

export const USAGE_PAGE_PERMISSIONS: Permissions<UsagePages> = {
  put: [{ table: 'gateway', actions: ['PutItem'], keyPrefixes: [USAGE_PAGES_PK] }],
  list: [{ table: 'gateway', actions: ['Query'], keyPrefixes: [USAGE_PAGES_PK] }],
}

/** Gzipped pages in memory at once: 7 MB if each has 1,000 calls. Few slots have more pages. */
const PAGES_PER_QUERY = 200
/** Sorts before every id. */
const BEFORE_IDS = ' '

/** `hotMs`: how long pages are kept, as long as the calls in them. */
export function dynamoUsagePages(store: DynamoStore, hotMs = LEDGER_HOT_MS_DEFAULT): UsagePages {
  const table = store.tables.gateway
  return {
    async put({ id, rows, slot }) {
      const data = await gzipText(writeRows(rows))
      const ttl = Math.ceil(((slot + 1) * SLOT_MS + hotMs) / 1_000)
      await store.put(table, { item: { ...usagePageKey(slot, id), data, ttl } })
    },

    list: (slot) => listPages(store, slot),
  }
}

/**
 * Sends the first query at once, so that several slots wait in parallel. The reader gets a failure.
 */
function listPages(store: DynamoStore, slot: number): AsyncIterable<UsagePage> {
  const first = queryAfter(store, slot, BEFORE_IDS)
  first.catch(() => {})
  return readPages(store, slot, first)
}

async function* readPages(
  store: DynamoStore,
  slot: number,
  first: Promise<readonly Item[]>,
): AsyncGenerator<UsagePage> {
  for (let items = await first; ; ) {
    for (const item of items) yield await readPage(slot, item)
    const last = items.at(-1)
    if (last === undefined || items.length < PAGES_PER_QUERY) return
    items = await queryAfter(store, slot, textAt(last, 'sk'))
  }
}

function queryAfter(store: DynamoStore, slot: number, after: string): Promise<readonly Item[]> {
  const { pk } = usagePageKey(slot, after)
  return store.query(store.tables.gateway, {
    where: '#pk = :pk AND #sk > :after',
    values: { pk, after },
    limit: PAGES_PER_QUERY,
  })
}

async function readPage(slot: number, item: Item): Promise<UsagePage> {
  return { slot, id: textAt(item, 'sk'), rows: readRows(await gunzipText(bytesAt(item, 'data'))) }
}

/**
 * usage:page:{slot}/{id}: calls of ten minutes as one batch of the table's stream brought them, rows
 * gzipped. A page that is put twice is the same item, since its id is made of its rows.
 */
import { LEDGER_HOT_MS_DEFAULT } from '../../../core/ledger/limits.ts'
import type { UsagePages } from '../../../core/ports/usage.ts'
import { SLOT_MS } from '../../../core/usage/slots.ts'
import { readRows, type UsagePage, writeRows } from '../../../core/usage/usage-page.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { bytesAt, type Item, textAt } from '../client/item.ts'
import type { Permissions } from '../permission.ts'
import { packed, unpacked } from '../records/packed.ts'
import { USAGE_PAGES_PK, usagePageKey } from '../table.ts'

export const USAGE_PAGE_PERMISSIONS: Permissions<UsagePages> = {
  put: [{ table: 'gateway', actions: ['PutItem'], keyPrefixes: [USAGE_PAGES_PK] }],
  list: [{ table: 'gateway', actions: ['Query'], keyPrefixes: [USAGE_PAGES_PK] }],
}

/** Gzipped pages that are held at once: 7 MB of those with 1,000 calls. Few slots have more. */
const PAGES_PER_QUERY = 200
/** Before every id. */
const FIRST = ' '

/** Pages end with the calls that are in them. */
export function dynamoUsagePages(store: DynamoStore, hotMs = LEDGER_HOT_MS_DEFAULT): UsagePages {
  const table = store.tables.gateway
  return {
    async put({ id, rows, slot }) {
      const data = await packed(writeRows(rows))
      const ttl = Math.ceil(((slot + 1) * SLOT_MS + hotMs) / 1_000)
      await store.put(table, { item: { ...usagePageKey(slot, id), data, ttl } })
    },

    list: (slot) => pagesOf(store, slot),
  }
}

/** Asks at once, so that lists of several slots wait together. A failure is for the reader of the list. */
function pagesOf(store: DynamoStore, slot: number): AsyncIterable<UsagePage> {
  const first = itemsAfter(store, slot, FIRST)
  first.catch(() => {})
  return pagesFrom(store, slot, first)
}

async function* pagesFrom(
  store: DynamoStore,
  slot: number,
  first: Promise<readonly Item[]>,
): AsyncGenerator<UsagePage> {
  for (let items = await first; ; ) {
    for (const item of items) yield await pageFrom(slot, item)
    const last = items.at(-1)
    if (last === undefined || items.length < PAGES_PER_QUERY) return
    items = await itemsAfter(store, slot, textAt(last, 'sk'))
  }
}

function itemsAfter(store: DynamoStore, slot: number, after: string): Promise<readonly Item[]> {
  const { pk } = usagePageKey(slot, after)
  return store.query(store.tables.gateway, {
    where: '#pk = :pk AND #sk > :after',
    values: { pk, after },
    limit: PAGES_PER_QUERY,
  })
}

async function pageFrom(slot: number, item: Item): Promise<UsagePage> {
  return { slot, id: textAt(item, 'sk'), rows: readRows(await unpacked(bytesAt(item, 'data'))) }
}

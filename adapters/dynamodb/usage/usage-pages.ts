/**
 * usage:page:{slot}/{id}: calls of ten minutes as one batch of the table's stream brought them, rows
 * gzipped. A page that is put twice is the same item, since its id is made of its rows.
 */
import { LEDGER_HOT_MS_DEFAULT } from '../../../core/ledger/limits.ts'
import type { UsagePages } from '../../../core/ports.ts'
import { SLOT_MS } from '../../../core/usage/slots.ts'
import { readRows, type UsagePage, writeRows } from '../../../core/usage/usage-page.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { bytesAt, type Item, textAt } from '../client/item.ts'
import type { Permissions } from '../permission.ts'
import { USAGE_PAGES_PK, usagePageKey } from '../table.ts'
import { packed, unpacked } from './packed.ts'

export const USAGE_PAGE_PERMISSIONS: Permissions<UsagePages> = {
  put: [{ table: 'gateway', actions: ['PutItem'], keyPrefixes: [USAGE_PAGES_PK] }],
  list: [{ table: 'gateway', actions: ['Query'], keyPrefixes: [USAGE_PAGES_PK] }],
}

/** Pages end with the calls that are in them. */
export function dynamoUsagePages(store: DynamoStore, hotMs = LEDGER_HOT_MS_DEFAULT): UsagePages {
  const table = store.tables.gateway
  return {
    async put({ id, rows, slot }) {
      const data = await packed(writeRows(rows))
      const ttl = Math.ceil(((slot + 1) * SLOT_MS + hotMs) / 1_000)
      await store.put(table, { item: { ...usagePageKey(slot, id), data, ttl } })
    },

    async list(slot) {
      const { pk } = usagePageKey(slot, '-')
      const items = await store.query(table, { where: '#pk = :pk', values: { pk } })
      return Promise.all(items.map((item) => pageFrom(slot, item)))
    },
  }
}

async function pageFrom(slot: number, item: Item): Promise<UsagePage> {
  return { slot, id: textAt(item, 'sk'), rows: readRows(await unpacked(bytesAt(item, 'data'))) }
}

/** ledger:{uid}: takes the reasons out of a user's grants, page by page. A grant that has none is left as it is. */
import type { Ledger } from '../../../core/ports/ledger.ts'
import type { DynamoStore } from '../client/document-store.ts'
import type { Permission } from '../permission.ts'
import { grantKey, LEDGER_PK } from '../table.ts'
import { LIST_GRANTS_PERMISSIONS, listGrants } from './grant-list.ts'

export const DROP_REASONS_PERMISSIONS: readonly Permission[] = [
  ...LIST_GRANTS_PERMISSIONS,
  { table: 'gateway', actions: ['UpdateItem'], keyPrefixes: [LEDGER_PK] },
]

/**
 * Two at once do the same. A grant of a user who is leaving is refused, so none comes behind this. The
 * table's stream tells the archive of each grant again, without its reason.
 */
export async function dropReasons(
  store: DynamoStore,
  page: Parameters<Ledger['dropReasons']>[0],
): Promise<string | undefined> {
  const { grants, next } = await listGrants(store, page)
  for (const { grantId, reason } of grants) {
    if (reason === undefined) continue
    await store.update(store.tables.gateway, {
      key: grantKey(page.uid, grantId),
      set: 'REMOVE #reason',
      if: 'attribute_exists(#reason)',
    })
  }
  return next
}

/** ledger:{uid}: removes the reasons from a user's grants, page by page. */
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
 * Resolves to where the next page begins. Two of these at once have the same effect. A grant to a user
 * who is leaving is refused, so no reason is added later. The table's stream hands each changed grant
 * to the archive again, without its reason.
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

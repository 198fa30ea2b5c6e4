/** ledger:{uid}: lists a user's grants and corrections by grantId, and removes their reasons. */
import { GRANTS_PAGE_MAX } from '../../../core/ledger/limits.ts'
import type { Ledger } from '../../../core/ports/ledger.ts'
import type { DynamoStore } from '../client/document-store.ts'
import type { Permission } from '../permission.ts'
import { fromGrantItem } from '../records/grant-item.ts'
import { grantKey, LEDGER_PK } from '../table.ts'

type GrantPage = Awaited<ReturnType<Ledger['grants']>>

export const LIST_GRANTS_PERMISSIONS: readonly Permission[] = [
  { table: 'gateway', actions: ['Query'], keyPrefixes: [LEDGER_PK] },
]

/** Sorts after every character of a grant id. */
const AFTER_IDS = '~'

/** One page of grants, without the outcomes in the same partition. */
export async function listGrants(
  store: DynamoStore,
  { uid, after = '', limit }: Parameters<Ledger['grants']>[0],
): Promise<GrantPage> {
  const size = Math.min(limit, GRANTS_PAGE_MAX)
  const { pk, sk: from } = grantKey(uid, after)
  const items = await store.query(store.tables.gateway, {
    where: '#pk = :pk AND #sk BETWEEN :from AND :to',
    values: { pk, from, to: grantKey(uid, AFTER_IDS).sk },
    // BETWEEN includes `after`, and one further item shows whether this is the last page.
    limit: size + 2,
  })
  const following = items.filter((item) => item['sk'] !== from)
  const grants = following.slice(0, size).map(fromGrantItem)
  return { grants, next: following.length > size ? grants.at(-1)?.grantId : undefined }
}

export const DROP_REASONS_PERMISSIONS: readonly Permission[] = [
  ...LIST_GRANTS_PERMISSIONS,
  { table: 'gateway', actions: ['UpdateItem'], keyPrefixes: [LEDGER_PK] },
]

/**
 * Removes the reasons of one page of grants. Resolves to where the next page begins. Two of these
 * at once have the same effect. A grant to a user who is leaving is refused, so no reason is added
 * later. The table's stream hands each changed grant to the archive again, without its reason.
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

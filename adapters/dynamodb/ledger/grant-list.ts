/** ledger:{uid}: a user's grants and corrections by grantId, page by page, without the outcomes. */
import { GRANTS_PAGE_MAX } from '../../../core/ledger/limits.ts'
import type { Ledger } from '../../../core/ports/ledger.ts'
import type { DynamoStore } from '../client/document-store.ts'
import type { Permission } from '../permission.ts'
import { grantFrom } from '../records/grant-item.ts'
import { grantKey, LEDGER_PK } from '../table.ts'

type GrantPage = Awaited<ReturnType<Ledger['grants']>>

export const LIST_GRANTS_PERMISSIONS: readonly Permission[] = [
  { table: 'gateway', actions: ['Query'], keyPrefixes: [LEDGER_PK] },
]

/** Sorts after every character of a grant id. */
const AFTER_IDS = '~'

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
  const grants = following.slice(0, size).map(grantFrom)
  return { grants, next: following.length > size ? grants.at(-1)?.grantId : undefined }
}

/** debts/{uid}: lists the users who may have a debt, by uid. ledger-grant.ts puts the entries. */
import type { Ledger } from '../../../core/ports/ledger.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { textAt } from '../client/item.ts'
import type { Permission } from '../permission.ts'
import { DEBTS_PK, debtKey } from '../table.ts'

export const LIST_DEBTORS_PERMISSIONS: readonly Permission[] = [
  { table: 'gateway', actions: ['Query'], keyPrefixes: [DEBTS_PK] },
]

/** Sorts before every uid. */
const BEFORE_UIDS = '!'

export async function listDebtors(
  store: DynamoStore,
  { after = BEFORE_UIDS, limit }: Parameters<Ledger['debtors']>[0],
): ReturnType<Ledger['debtors']> {
  const { pk } = debtKey(after)
  const items = await store.query(store.tables.gateway, {
    where: '#pk = :pk AND #sk > :after',
    values: { pk, after },
    // One further item shows whether this is the last page.
    limit: limit + 1,
  })
  const uids = items.slice(0, limit).map((item) => textAt(item, 'uid'))
  return { uids, next: items.length > limit ? uids.at(-1) : undefined }
}

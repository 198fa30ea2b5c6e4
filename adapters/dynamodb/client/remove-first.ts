/** Removes the first items of a partition one by one, such as all records of a deleted user. */
import type { DynamoStore } from './document-store.ts'
import { textAt } from './item.ts'

/** Resolves to true if the partition is empty now; otherwise the caller repeats the request. */
export async function removeFirst(
  store: DynamoStore,
  table: Parameters<DynamoStore['query']>[0],
  { limit, pk }: { readonly pk: string; readonly limit: number },
): Promise<boolean> {
  const items = await store.query(table, {
    where: '#pk = :pk',
    only: '#pk, #sk',
    values: { pk },
    limit: limit + 1,
  })
  const first = items.slice(0, limit)
  for (const item of first) await store.remove(table, { pk, sk: textAt(item, 'sk') })
  return items.length <= limit
}

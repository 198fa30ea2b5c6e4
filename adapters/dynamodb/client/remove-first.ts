/** Removes the first items of a partition, such as all that a deleted user has left. Writes one item after the other. */
import type { DynamoStore } from './document-store.ts'
import { textAt } from './item.ts'

/** True when nothing is left in the partition; otherwise the caller asks again. */
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
  const some = items.slice(0, limit)
  for (const item of some) await store.remove(table, { pk, sk: textAt(item, 'sk') })
  return items.length <= limit
}

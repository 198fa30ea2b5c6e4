/** One BatchGetItem over one table. Asks again, a few times, for keys that DynamoDB left out. */
import { Fault } from '../../../core/errors.ts'
import type { Key } from '../table.ts'
import type { Connection } from './connection.ts'
import type { Item } from './item.ts'
import { retryConflicts } from './retry-conflicts.ts'

/** DynamoDB leaves keys out when it throttles or when the answer passes 16 MB. */
export const BATCH_TRIES_MAX = 4
const FIRST_PAUSE_MS = 25

/** DynamoDB's limit of keys in one request. */
export const BATCH_KEYS_MAX = 100

/** Items in no particular order. At most {@link BATCH_KEYS_MAX} different keys. */
export async function batchGet(
  connection: Connection,
  table: string,
  keys: readonly Key[],
  read: 'consistent' | 'eventual',
): Promise<readonly Item[]> {
  const items: Item[] = []
  const consistency = read === 'consistent' ? { ConsistentRead: true } : {}
  let missing: { [name: string]: unknown }[] = keys.map((key) => ({ ...key }))
  for (let tries = 1; tries <= BATCH_TRIES_MAX; tries += 1) {
    const wanted = missing
    const answer = await retryConflicts(connection.clock, () =>
      connection.requests.send('BatchGetItem', {
        RequestItems: { [table]: { Keys: wanted, ...consistency } },
        ...connection.metered,
      }),
    )
    connection.consumed('batchGet', answer.ConsumedCapacity)
    items.push(...(answer.Responses?.[table] ?? []))
    missing = answer.UnprocessedKeys?.[table]?.Keys ?? []
    if (missing.length === 0) return items
    if (tries < BATCH_TRIES_MAX) await connection.clock.sleep(FIRST_PAUSE_MS * 2 ** (tries - 1))
  }
  throw new Fault('store_unavailable', `store: left out ${missing.length} keys of a batch`)
}

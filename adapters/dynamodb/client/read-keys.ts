/** Reads items of one table by their keys: in a batch, or all at one moment. */
import { Fault } from '../../../core/errors.ts'
import type { Key } from '../table.ts'
import type { Connection } from './connection.ts'
import type { Item } from './item.ts'
import { ConflictError, retryConflicts } from './retry-conflicts.ts'
import { isCanceledTransaction } from './transaction.ts'

/** Requests at most: DynamoDB leaves out keys when it throttles or the answer exceeds 16 MB. */
export const BATCH_TRIES_MAX = 4
const FIRST_PAUSE_MS = 25

/** DynamoDB's limit of keys in one request. */
export const BATCH_KEYS_MAX = 100

/**
 * Reads at most {@link BATCH_KEYS_MAX} different keys with BatchGetItem and returns the items that
 * exist, in no particular order. Requests keys that DynamoDB left out again, a few times. Throws
 * `Fault('store_unavailable')` if keys are still left out after all tries.
 */
export async function batchGet(
  connection: Connection,
  table: string,
  keys: readonly Key[],
  read: 'consistent' | 'eventual',
): Promise<readonly Item[]> {
  const items: Item[] = []
  const consistency = read === 'consistent' ? { ConsistentRead: true } : {}
  let unread: { [name: string]: unknown }[] = keys.map((key) => ({ ...key }))
  for (let tries = 1; tries <= BATCH_TRIES_MAX; tries += 1) {
    const wanted = unread
    const answer = await retryConflicts(connection.clock, () =>
      connection.requests.send('BatchGetItem', {
        RequestItems: { [table]: { Keys: wanted, ...consistency } },
        ...connection.metered,
      }),
    )
    connection.consumed('batchGet', answer.ConsumedCapacity)
    items.push(...(answer.Responses?.[table] ?? []))
    unread = answer.UnprocessedKeys?.[table]?.Keys ?? []
    if (unread.length === 0) return items
    if (tries < BATCH_TRIES_MAX) await connection.clock.sleep(FIRST_PAUSE_MS * 2 ** (tries - 1))
  }
  throw new Fault('store_unavailable', `store: left out ${unread.length} keys of a batch`)
}

/**
 * Reads the items at one moment with TransactGetItems, at twice the units of plain reads. Returns
 * them in the order of the keys; undefined for a key without an item.
 */
export function readSnapshot(
  connection: Connection,
  table: string,
  keys: readonly Key[],
): Promise<readonly (Item | undefined)[]> {
  const TransactItems = keys.map((key) => ({ Get: { TableName: table, Key: { ...key } } }))
  return retryConflicts(connection.clock, async () => {
    try {
      const input = { TransactItems, ...connection.metered }
      const answer = await connection.requests.send('TransactGetItems', input)
      connection.consumed('transact', answer.ConsumedCapacity)
      return keys.map((_, index) => answer.Responses?.[index]?.Item)
    } catch (cause) {
      // A transaction is writing one of the items: the read may succeed a moment later.
      throw isCanceledTransaction(cause) ? new ConflictError(cause) : cause
    }
  })
}

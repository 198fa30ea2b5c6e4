/** Reads several items at one moment with TransactGetItems, at twice the units of plain reads. */
import type { Key } from '../table.ts'
import type { Connection } from './connection.ts'
import type { Item } from './item.ts'
import { ConflictError, retryConflicts } from './retry-conflicts.ts'
import { isCanceledTransaction } from './transaction.ts'

/** The items in the order of the keys; undefined for a key without an item. */
export function snapshot(
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

/** UpdateItem in two forms: `update` returns the whole item, `change` only if it was written. */
import { Fault } from '../../../core/errors.ts'
import type { Key } from '../table.ts'
import type { Connection } from './connection.ts'
import {
  type ConditionRefusal,
  conditionInput,
  type Expression,
  expressionInput,
  isRefusedCondition,
  readRefusalOrThrow,
} from './expression.ts'
import type { Item } from './item.ts'
import { retryConflicts } from './retry-conflicts.ts'
import type { StoreInputs } from './store-requests.ts'

export type Update = Expression & { readonly key: Key; readonly set: string; readonly if?: string }

/** `item` is the whole item after the update. */
export type UpdateAnswer = { readonly kind: 'written'; readonly item: Item } | ConditionRefusal

/** Resolves to the item after the update, or to the refusal with the item that is stored. */
export function update(
  connection: Connection,
  table: string,
  write: Update,
): Promise<UpdateAnswer> {
  const terms = { ReturnValues: 'ALL_NEW', ...conditionInput(write.if) } as const
  return retryConflicts(connection.clock, async () => {
    try {
      const item = await send(connection, table, write, terms)
      if (item === undefined) throw new Fault('internal', 'store: ALL_NEW is missing')
      return { kind: 'written', item }
    } catch (cause) {
      return readRefusalOrThrow(cause)
    }
  })
}

/** Resolves to false if the condition refused the write. */
export function change(connection: Connection, table: string, write: Update): Promise<boolean> {
  const terms = write.if === undefined ? {} : { ConditionExpression: write.if }
  return retryConflicts(connection.clock, async () => {
    try {
      await send(connection, table, write, terms)
      return true
    } catch (cause) {
      if (isRefusedCondition(cause)) return false
      throw cause
    }
  })
}

/** `terms`: the condition, and which item the answer contains. */
async function send(
  connection: Connection,
  table: string,
  write: Update,
  terms: Partial<StoreInputs['UpdateItem']>,
): Promise<Item | undefined> {
  const input: StoreInputs['UpdateItem'] = {
    TableName: table,
    Key: { ...write.key },
    UpdateExpression: write.set,
    ...terms,
    ...expressionInput([write.set, write.if], write),
    ...connection.metered,
  }
  const answer = await connection.requests.send('UpdateItem', input)
  connection.consumed('update', answer.ConsumedCapacity)
  return answer.Attributes
}

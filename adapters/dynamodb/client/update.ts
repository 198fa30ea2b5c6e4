/** UpdateItem in two forms: with the whole item in the answer, and with nothing but whether it was written. */
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb'
import { Fault } from '../../../core/errors.ts'
import type { Key } from '../table.ts'
import { type ConditionRefusal, condition, refusedOr } from './condition.ts'
import type { Connection } from './connection.ts'
import { type Expression, expressionInput } from './expression.ts'
import type { Item } from './item.ts'
import { retryConflicts } from './retry-conflicts.ts'

export type Update = Expression & { readonly key: Key; readonly set: string; readonly if?: string }

/** `item` is the whole item after the update. */
export type UpdateAnswer = { readonly kind: 'written'; readonly item: Item } | ConditionRefusal

export function update(connection: Connection, table: string, what: Update): Promise<UpdateAnswer> {
  const input: UpdateCommandInput = {
    TableName: table,
    Key: { ...what.key },
    UpdateExpression: what.set,
    ReturnValues: 'ALL_NEW',
    ...condition(what.if),
    ...expressionInput([what.set, what.if], what),
    ...connection.metered,
  }
  return retryConflicts(connection.clock, async () => {
    try {
      const answer = await connection.documents.send(new UpdateCommand(input))
      connection.consumed('update', answer.ConsumedCapacity)
      if (answer.Attributes === undefined) throw new Fault('internal', 'store: ALL_NEW is missing')
      return { kind: 'written', item: answer.Attributes }
    } catch (cause) {
      return refusedOr(cause)
    }
  })
}

export function change(connection: Connection, table: string, what: Update): Promise<boolean> {
  const input: UpdateCommandInput = {
    TableName: table,
    Key: { ...what.key },
    UpdateExpression: what.set,
    ...(what.if === undefined ? {} : { ConditionExpression: what.if }),
    ...expressionInput([what.set, what.if], what),
    ...connection.metered,
  }
  return retryConflicts(connection.clock, async () => {
    try {
      const answer = await connection.documents.send(new UpdateCommand(input))
      connection.consumed('update', answer.ConsumedCapacity)
      return true
    } catch (cause) {
      if (cause instanceof ConditionalCheckFailedException) return false
      throw cause
    }
  })
}

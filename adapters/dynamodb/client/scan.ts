/**
 * One step of a scan over a whole table: reads a number of items and returns those that pass the
 * filter. The request names its attributes and sets `Select`, because its policy allows no others.
 */
import type { Key } from '../table.ts'
import type { Connection } from './connection.ts'
import { type Expression, expressionInput } from './expression.ts'
import { type Item, textAt } from './item.ts'
import { retryConflicts } from './retry-conflicts.ts'

export type ScanStep = Expression & {
  readonly filter: string
  readonly only: string
  /** How many items to read; the filter may leave out most of them. */
  readonly limit: number
  readonly after: Key | undefined
}

/** `next` is where the following step begins; undefined after the last step. */
export async function scan(
  connection: Connection,
  table: string,
  step: ScanStep,
): Promise<{ items: readonly Item[]; next: Key | undefined }> {
  const answer = await retryConflicts(connection.clock, () =>
    connection.requests.send('Scan', {
      TableName: table,
      ConsistentRead: true,
      FilterExpression: step.filter,
      ProjectionExpression: step.only,
      Select: 'SPECIFIC_ATTRIBUTES',
      Limit: step.limit,
      ...expressionInput([step.filter, step.only], step),
      ...(step.after === undefined ? {} : { ExclusiveStartKey: { ...step.after } }),
      ...connection.metered,
    }),
  )
  connection.consumed('scan', answer.ConsumedCapacity)
  const last = answer.LastEvaluatedKey
  return {
    items: answer.Items ?? [],
    next: last === undefined ? undefined : { pk: textAt(last, 'pk'), sk: textAt(last, 'sk') },
  }
}

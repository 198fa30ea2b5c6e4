/** Reads many items: Query reads one partition page after page, Scan one step of a whole table. */
import type { Key } from '../table.ts'
import type { Connection } from './connection.ts'
import { type Expression, expressionInput } from './expression.ts'
import { type Item, textAt } from './item.ts'
import { retryConflicts } from './retry-conflicts.ts'

export type PartitionQuery = Expression & {
  /** Key condition: `#pk = :pk AND #sk BETWEEN :from AND :to`. */
  readonly where: string
  /** Attributes to return; default: all. */
  readonly only?: string
  /** How many items to read at most; default: all. */
  readonly limit?: number
  /** Greatest sort key first. */
  readonly backwards?: boolean
}

/**
 * Reads items of a partition in key order or its reverse. Reads are strongly consistent: a page
 * shows every write that ended before its own read.
 */
export async function queryAll(
  connection: Connection,
  table: string,
  query: PartitionQuery,
): Promise<readonly Item[]> {
  const items: Item[] = []
  let from: Record<string, unknown> | undefined
  do {
    const ExclusiveStartKey = from
    const answer = await retryConflicts(connection.clock, () =>
      connection.requests.send('Query', {
        TableName: table,
        KeyConditionExpression: query.where,
        ConsistentRead: true,
        ...expressionInput([query.where, query.only], query),
        ...(query.only === undefined ? {} : { ProjectionExpression: query.only }),
        ...(query.backwards === true ? { ScanIndexForward: false } : {}),
        ...(query.limit === undefined ? {} : { Limit: query.limit - items.length }),
        ...(ExclusiveStartKey === undefined ? {} : { ExclusiveStartKey }),
        ...connection.metered,
      }),
    )
    connection.consumed('query', answer.ConsumedCapacity)
    items.push(...(answer.Items ?? []))
    from = answer.LastEvaluatedKey
  } while (from !== undefined && (query.limit === undefined || items.length < query.limit))
  return items
}

export type ScanStep = Expression & {
  readonly filter: string
  readonly only: string
  /** How many items to read; the filter may leave out most of them. */
  readonly limit: number
  readonly after: Key | undefined
}

/**
 * Reads a number of items of a table and returns those that pass the filter. The request names its
 * attributes and sets `Select`, because its policy allows no others. `next` is where the following
 * step begins; undefined after the last step.
 */
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

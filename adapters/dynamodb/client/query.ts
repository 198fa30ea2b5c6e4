/** Reads items of one partition with Query, page after page, in key order or its reverse. */
import type { Connection } from './connection.ts'
import { type Expression, expressionInput } from './expression.ts'
import type { Item } from './item.ts'
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

/** Reads are strongly consistent: a page shows every write that ended before its own read. */
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

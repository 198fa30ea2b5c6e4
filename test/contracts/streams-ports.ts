/** The store ports whose tail reads the table's stream, over any endpoint that has one. */
import { DescribeTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { TableNames } from '../../adapters/dynamodb/client/document-store.ts'
import { dynamoStore } from '../../adapters/dynamodb/client/sdk-store.ts'
import { createTables } from '../../adapters/dynamodb/create-tables.ts'
import { openReplyTail } from '../../adapters/dynamodb/reply-stream/open-reply-tail.ts'
import { dynamoStorePorts } from '../../adapters/dynamodb/store-ports.ts'
import type { StorePorts } from './store-ports.ts'
import type { TestClock } from './test-clock.ts'

/** Makes the tables. */
export async function streamsPorts(options: {
  readonly client: DynamoDBClient
  readonly endpoint: string
  readonly tables: TableNames
  readonly clock: TestClock
  readonly pace: 'aws' | 'local'
  /** Called with each failure that a tail waits out. */
  readonly onTrouble?: (cause: unknown) => void
}): Promise<StorePorts> {
  const { client, clock, endpoint, pace, tables } = options
  await createTables(client, tables)
  const { Table } = await client.send(new DescribeTableCommand({ TableName: tables.sessions }))
  const streamArn = Table?.LatestStreamArn
  if (streamArn === undefined) throw new Error(`${tables.sessions} has no stream at ${endpoint}`)
  const onTrouble = options.onTrouble ?? (() => {})
  const store = dynamoStore({ client, tables, clock, onTrouble })
  const { tail } = await openReplyTail(
    { kind: 'dynamodb-streams', streamArn },
    { store, log: { note: () => {} }, pace, reach: { endpoint } },
  )
  return { clock, ...dynamoStorePorts(store, tail === undefined ? {} : { tail }) }
}

/**
 * Creates missing tables and waits until both can be used: for the twin and for tests. On AWS the
 * CDK stacks create them from the same definitions. Changes no existing table.
 */
import { setTimeout } from 'node:timers/promises'
import {
  CreateTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  ResourceInUseException,
  ResourceNotFoundException,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb'
import { Fault } from '../../core/errors.ts'
import type { TableNames } from './client/document-store.ts'
import { faultOf } from './client/store-fault.ts'
import { GATEWAY_TABLE, SESSIONS_TABLE, type TableDefinition } from './table.ts'

/** Polls until the table is active: an embedded store needs one poll, AWS some seconds. */
const LOOKS_MAX = 120
const LOOK_EVERY_MS = 250

export async function createTables(client: DynamoDBClient, tables: TableNames): Promise<void> {
  await Promise.all([
    createTable(client, tables.gateway, GATEWAY_TABLE),
    createTable(client, tables.sessions, SESSIONS_TABLE),
  ])
}

async function createTable(
  client: DynamoDBClient,
  name: string,
  definition: TableDefinition,
): Promise<void> {
  try {
    if ((await statusOf(client, name)) === undefined) await create(client, name, definition)
    await untilActive(client, name)
    await expire(client, name, definition)
  } catch (cause) {
    throw faultOf(cause)
  }
}

async function statusOf(client: DynamoDBClient, name: string): Promise<string | undefined> {
  try {
    const answer = await client.send(new DescribeTableCommand({ TableName: name }))
    return answer.Table?.TableStatus
  } catch (cause) {
    if (cause instanceof ResourceNotFoundException) return undefined
    throw cause
  }
}

/** Two starts at once: the second create is refused and waits for the first one's table. */
async function create(
  client: DynamoDBClient,
  name: string,
  { partitionKey, sortKey, stream }: TableDefinition,
): Promise<void> {
  try {
    await client.send(
      new CreateTableCommand({
        TableName: name,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [
          { AttributeName: partitionKey, AttributeType: 'S' },
          { AttributeName: sortKey, AttributeType: 'S' },
        ],
        KeySchema: [
          { AttributeName: partitionKey, KeyType: 'HASH' },
          { AttributeName: sortKey, KeyType: 'RANGE' },
        ],
        ...(stream === undefined
          ? {}
          : { StreamSpecification: { StreamEnabled: true, StreamViewType: stream } }),
      }),
    )
  } catch (cause) {
    if (!(cause instanceof ResourceInUseException)) throw cause
  }
}

async function untilActive(client: DynamoDBClient, name: string): Promise<void> {
  for (let looks = 0; looks < LOOKS_MAX; looks += 1) {
    if ((await statusOf(client, name)) === 'ACTIVE') return
    await setTimeout(LOOK_EVERY_MS)
  }
  throw new Fault('store_unavailable', `table ${name}: is not active after 30 s`)
}

/** Reads the setting first: AWS refuses to switch TTL on twice. */
async function expire(
  client: DynamoDBClient,
  name: string,
  { ttlAttribute }: TableDefinition,
): Promise<void> {
  const answer = await client.send(new DescribeTimeToLiveCommand({ TableName: name }))
  const status = answer.TimeToLiveDescription?.TimeToLiveStatus
  if (status === 'ENABLED' || status === 'ENABLING') return
  await client.send(
    new UpdateTimeToLiveCommand({
      TableName: name,
      TimeToLiveSpecification: { AttributeName: ttlAttribute, Enabled: true },
    }),
  )
}

/**
 * Creates missing tables and waits until both are active, for the twin and for tests. On AWS the
 * CDK stacks create them from the same definitions. Existing tables are not changed.
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
import { toStoreFault } from './client/retry-conflicts.ts'
import { GATEWAY_TABLE, SESSIONS_TABLE, type TableDefinition } from './table.ts'

/** Polls until a table is active: an embedded store needs one poll, AWS some seconds. */
const POLLS_MAX = 120
const POLL_EVERY_MS = 250

/** Creates both tables, or throws a `Fault`. */
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
    if ((await readStatus(client, name)) === undefined) await create(client, name, definition)
    await waitUntilActive(client, name)
    await enableTtl(client, name, definition)
  } catch (cause) {
    throw toStoreFault(cause)
  }
}

async function readStatus(client: DynamoDBClient, name: string): Promise<string | undefined> {
  try {
    const answer = await client.send(new DescribeTableCommand({ TableName: name }))
    return answer.Table?.TableStatus
  } catch (cause) {
    if (cause instanceof ResourceNotFoundException) return undefined
    throw cause
  }
}

/** Two starts at once: AWS refuses the second create, and its start waits for the first table. */
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

async function waitUntilActive(client: DynamoDBClient, name: string): Promise<void> {
  for (let polls = 0; polls < POLLS_MAX; polls += 1) {
    if ((await readStatus(client, name)) === 'ACTIVE') return
    await setTimeout(POLL_EVERY_MS)
  }
  throw new Fault('store_unavailable', `table ${name}: is not active after 30 s`)
}

/** Switches TTL on. Reads the setting first, because AWS refuses to switch TTL on twice. */
async function enableTtl(
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

/** A store over an embedded DynamoDB of its own, with its tables, for one test file. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { afterAll } from 'vitest'
import { dynamoClient } from '../../../adapters/dynamodb/client/client.ts'
import type { ConsumedUnits } from '../../../adapters/dynamodb/client/connection.ts'
import { type DynamoStore, dynamoStore } from '../../../adapters/dynamodb/client/document-store.ts'
import { createTables } from '../../../adapters/dynamodb/create-tables.ts'
import type { Clock } from '../../../core/ports.ts'
import { startEmbedded } from '../../../local/store/embedded-dynamodb.ts'

export const TABLES = { gateway: 'Gateway', sessions: 'Sessions' }

export async function embeddedStore(options: {
  clock: Clock
  onConsumed?: (consumed: ConsumedUnits) => void
  onTrouble?: (cause: unknown) => void
}): Promise<{
  client: DynamoDBClient
  endpoint: string
  store: DynamoStore
  stop(): Promise<void>
}> {
  const embedded = await startEmbedded({})
  if ('missing' in embedded) throw new Error(`these tests need it: ${embedded.missing}`)
  const client = dynamoClient({ endpoint: embedded.endpoint })
  await createTables(client, TABLES)
  const store = dynamoStore({ ...options, client, tables: TABLES })
  const stop = async () => {
    client.destroy()
    await embedded.stop()
  }
  return { client, endpoint: embedded.endpoint, store, stop }
}

/**
 * The same for a whole test file, stopped after its last test; awaited outside of tests. `seen` and
 * `troubles` are the units and the troubles that the store reported, in order; a test empties them first.
 */
export async function useEmbeddedStore(clock: Clock): Promise<{
  readonly client: DynamoDBClient
  readonly endpoint: string
  readonly store: DynamoStore
  readonly seen: ConsumedUnits[]
  readonly troubles: unknown[]
}> {
  const seen: ConsumedUnits[] = []
  const troubles: unknown[] = []
  const { client, endpoint, stop, store } = await embeddedStore({
    clock,
    onConsumed: (consumed) => seen.push(consumed),
    onTrouble: (cause) => troubles.push(cause),
  })
  afterAll(stop)
  return { client, endpoint, store, seen, troubles }
}

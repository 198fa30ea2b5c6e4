/**
 * A store over an embedded DynamoDB of its own, with its tables, for one test file, over the client that
 * store-clients.ts chooses.
 */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { afterAll } from 'vitest'
import { dynamoClient } from '../../../adapters/dynamodb/client/client.ts'
import type { ConsumedUnits } from '../../../adapters/dynamodb/client/connection.ts'
import { type DynamoStore, makeStore } from '../../../adapters/dynamodb/client/document-store.ts'
import { createTables } from '../../../adapters/dynamodb/create-tables.ts'
import { startEmbedded } from '../../../bench/lib/embedded-dynamodb.ts'
import type { Clock } from '../../../core/ports/outside.ts'
import { requestsAt, type WatchedRequests } from './store-clients.ts'

export const TABLES = { gateway: 'Gateway', sessions: 'Sessions' }

export type EmbeddedStore = {
  /** The SDK's client, for requests of the test's own: none of the store's. */
  readonly client: DynamoDBClient
  readonly endpoint: string
  readonly store: DynamoStore
  /** Shows every request of the store from now on. */
  readonly watch: WatchedRequests['watch']
}

export async function embeddedStore(options: {
  clock: Clock
  onConsumed?: (consumed: ConsumedUnits) => void
  onTrouble?: (cause: unknown) => void
}): Promise<EmbeddedStore & { stop(): Promise<void> }> {
  const embedded = await startEmbedded({})
  if ('missing' in embedded) throw new Error(`these tests need it: ${embedded.missing}`)
  const { endpoint } = embedded
  const client = dynamoClient({ endpoint })
  await createTables(client, TABLES)
  const { close, requests, watch } = requestsAt(endpoint)
  const store = makeStore(requests, { ...options, tables: TABLES })
  const stop = async () => {
    close()
    client.destroy()
    await embedded.stop()
  }
  return { client, endpoint, store, watch, stop }
}

/**
 * The same for a whole test file, stopped after its last test; awaited outside of tests. `seen` and
 * `troubles` are the units and the troubles that the store reported, in order; a test empties them first.
 */
export async function useEmbeddedStore(
  clock: Clock,
): Promise<EmbeddedStore & { readonly seen: ConsumedUnits[]; readonly troubles: unknown[] }> {
  const seen: ConsumedUnits[] = []
  const troubles: unknown[] = []
  const { stop, ...embedded } = await embeddedStore({
    clock,
    onConsumed: (consumed) => seen.push(consumed),
    onTrouble: (cause) => troubles.push(cause),
  })
  afterAll(stop)
  return { ...embedded, seen, troubles }
}

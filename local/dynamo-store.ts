/** The store ports over any DynamoDB endpoint, its tables made where they are missing. */
import { dynamoClient } from '../adapters/dynamodb/client.ts'
import { createTables } from '../adapters/dynamodb/create-tables.ts'
import { dynamoStore } from '../adapters/dynamodb/store.ts'
import { dynamoStorePorts } from '../adapters/dynamodb/store-ports.ts'
import { GATEWAY_TABLE, SESSIONS_TABLE } from '../adapters/dynamodb/table.ts'
import type { Clock, StorePorts } from '../core/ports.ts'

/** Who changes a skill on a laptop calls it in the next breath. */
const TWIN_CACHE_MS = 500

export async function openDynamoStore(options: {
  readonly endpoint: string
  readonly clock: Clock
  readonly onTrouble: (cause: unknown) => void
}): Promise<{ readonly ports: StorePorts; close(): void }> {
  const { clock, endpoint, onTrouble } = options
  const client = dynamoClient({ endpoint })
  const tables = { gateway: GATEWAY_TABLE.name, sessions: SESSIONS_TABLE.name }
  await createTables(client, tables)
  const store = dynamoStore({ client, tables, clock, onTrouble })
  const ports = dynamoStorePorts(store, { sharedCacheMs: TWIN_CACHE_MS })
  return { ports, close: () => client.destroy() }
}

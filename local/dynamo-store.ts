/** The store ports over any DynamoDB endpoint, its tables made where they are missing. */
import { dynamoAnswers } from '../adapters/dynamodb/answers.ts'
import { dynamoBroadcast } from '../adapters/dynamodb/broadcast.ts'
import { dynamoCallRecords } from '../adapters/dynamodb/call-records.ts'
import { dynamoClient } from '../adapters/dynamodb/client.ts'
import { createTables } from '../adapters/dynamodb/create-tables.ts'
import { dynamoKeys } from '../adapters/dynamodb/keys.ts'
import { dynamoLeases } from '../adapters/dynamodb/leases.ts'
import { dynamoLedger } from '../adapters/dynamodb/ledger.ts'
import { dynamoMinutes } from '../adapters/dynamodb/minutes.ts'
import { dynamoProfiles } from '../adapters/dynamodb/profiles.ts'
import { dynamoReplies } from '../adapters/dynamodb/replies.ts'
import { dynamoSessions } from '../adapters/dynamodb/sessions.ts'
import { dynamoSkills } from '../adapters/dynamodb/skills.ts'
import { dynamoStore } from '../adapters/dynamodb/store.ts'
import { dynamoSweepMarks } from '../adapters/dynamodb/sweep-marks.ts'
import { GATEWAY_TABLE, SESSIONS_TABLE } from '../adapters/dynamodb/table.ts'
import { dynamoToolsCache } from '../adapters/dynamodb/tools-cache.ts'
import type { Clock } from '../core/ports.ts'
import type { StorePorts } from './store-ports.ts'

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
  const ports: StorePorts = {
    answers: dynamoAnswers(store),
    broadcast: dynamoBroadcast(store),
    callRecords: dynamoCallRecords(store, { sharedCacheMs: TWIN_CACHE_MS }),
    keys: dynamoKeys(store),
    leases: dynamoLeases(store),
    ledger: dynamoLedger(store),
    minutes: dynamoMinutes(store),
    profiles: dynamoProfiles(store),
    replies: dynamoReplies(store),
    sessions: dynamoSessions(store),
    skills: dynamoSkills(store),
    sweepMarks: dynamoSweepMarks(store),
    toolsCache: dynamoToolsCache(store),
  }
  return { ports, close: () => client.destroy() }
}

/**
 * The gateway's flows over an embedded DynamoDB, connected as in the functions but without HTTP
 * between them: for counting, and for measurements that the network would blur. Each `ports()` has
 * its own client and caches, as each function has.
 */

import { VERSION } from '../../adapters/config/version.ts'
import { nodeDigests } from '../../adapters/crypto/node-digests.ts'
import { nodeIds } from '../../adapters/crypto/node-ids.ts'
import { nodeSeals } from '../../adapters/crypto/node-seals.ts'
import { dynamoClient } from '../../adapters/dynamodb/client/client.ts'
import type { ConsumedUnits } from '../../adapters/dynamodb/client/connection.ts'
import { makeStore } from '../../adapters/dynamodb/client/document-store.ts'
import { sdkRequests } from '../../adapters/dynamodb/client/sdk-store.ts'
import type { StoreRequests } from '../../adapters/dynamodb/client/store-requests.ts'
import { createTables } from '../../adapters/dynamodb/create-tables.ts'
import { dynamoStorePorts } from '../../adapters/dynamodb/store-ports.ts'
import { makeSchemasWithPatterns } from '../../adapters/formats/json-schema.ts'
import { makeSkillMarkdown } from '../../adapters/formats/skill-markdown.ts'
import { makeHooks } from '../../adapters/hooks/registry.ts'
import { makeRawSecretSeals } from '../../adapters/kms/raw-seals.ts'
import type { KeptResults } from '../../core/ports/kept-results.ts'
import type { Clock, Log } from '../../core/ports/outside.ts'
import type { StorePorts } from '../../core/ports/ports.ts'
import { listDefaults } from '../../core/settings/read-setting.ts'
import { SETTINGS as ROWS } from '../../core/settings/table.ts'
import { convertSettings, type Settings } from '../../core/settings.ts'
import { startEmbedded } from './embedded-dynamodb.ts'
import { type KeyUse, withKeyUse } from './keyed-requests.ts'

export const SETTINGS: Settings = {
  ...convertSettings(listDefaults(ROWS)),
  version: VERSION,
  tiers: { free: { callsPerMinute: 1_000_000, holdsMax: 32 } },
  streams: { perKeyMax: 20, totalMax: 70, anonymousMax: 7 },
  announceToolChanges: true,
  executeUrl: undefined,
}

/** The ports of the measured flows, without the HTTP entrances and the upstream. */
export type FlowPorts = ReturnType<typeof createFlowPorts>

/** One request to the store. */
export type StoreRequest = { readonly startMs: number; readonly endMs: number }

export type Meter = {
  readonly consumed?: (consumed: ConsumedUnits) => void
  readonly request?: (request: StoreRequest) => void
  /** Called for each partition key of each request. */
  readonly keyed?: (use: KeyUse) => void
}

export type BenchStore = {
  /**
   * Returns ports with a client of their own. `listVersionCopy` is the copy of the tool list
   * version that this process reads.
   */
  ports(clock: Clock, meter?: Meter, listVersionCopy?: number): FlowPorts
  /** Tells whether a request of any client is running. */
  isBusy(): boolean
  stop(): Promise<void>
}

const TABLES = { gateway: 'Gateway', sessions: 'Sessions' }

export async function openBenchStore(): Promise<BenchStore> {
  const embedded = await startEmbedded({})
  if ('missing' in embedded) throw new Error(`the bench needs it: ${embedded.missing}`)
  const { endpoint } = embedded
  const clients: ReturnType<typeof dynamoClient>[] = []
  const openClient = () => {
    const client = dynamoClient({ endpoint })
    clients.push(client)
    return client
  }
  await createTables(openClient(), TABLES)
  let running = 0
  return {
    isBusy: () => running > 0,
    ports: (clock, meter = {}, listVersionCopy = 0) => {
      const { consumed = () => {}, keyed, request } = meter
      const requests = sdkRequests(openClient())
      const timed: StoreRequests = {
        send: async (operation, input) => {
          const startMs = performance.now()
          running += 1
          try {
            return await requests.send(operation, input)
          } finally {
            running -= 1
            request?.({ startMs, endMs: performance.now() })
          }
        },
      }
      const store = makeStore(keyed === undefined ? timed : withKeyUse(timed, keyed), {
        tables: TABLES,
        clock,
        onConsumed: consumed,
        onTrouble: (cause) => console.error(cause),
      })
      return createFlowPorts(dynamoStorePorts(store, { listVersionCopy }), clock)
    },
    stop: async () => {
      for (const client of clients) client.destroy()
      await embedded.stop()
    },
  }
}

const SECRETS_KEY = new Uint8Array(32)

export function createFlowPorts(stored: StorePorts, clock: Clock) {
  return {
    ...stored,
    clock,
    log: STRICT_LOG,
    ids: nodeIds(),
    digests: nodeDigests(),
    seals: nodeSeals(),
    schemas: makeSchemasWithPatterns(),
    skillMarkdown: makeSkillMarkdown(),
    secretSeals: makeRawSecretSeals(() => SECRETS_KEY),
    hooks: makeHooks({ clock, outboundAllow: SETTINGS.outboundAllow }),
    keptResults: NO_KEPT_RESULTS,
  }
}

/** Answers of benches are short. */
const NO_KEPT_RESULTS: KeptResults = {
  put: () => Promise.reject(new Error('no answer is kept here')),
  read: async () => undefined,
}

/** A log that throws on warnings, so that a failure is never measured. */
const STRICT_LOG: Log = {
  call: () => {},
  note: (level, event, _fields, cause) => {
    if (level !== 'info') throw new Error(`unexpected: ${event}`, { cause })
  },
}

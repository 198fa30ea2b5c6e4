/**
 * The gateway's flows over an embedded DynamoDB, wired as in the functions but without HTTP between
 * them: for counting, and for measurements that the network would blur. Each `ports()` has its own
 * client and caches, as each function has.
 */

import { nodeDigests } from '../../adapters/crypto/node-digests.ts'
import { nodeIds } from '../../adapters/crypto/node-ids.ts'
import { nodeSeals } from '../../adapters/crypto/node-seals.ts'
import { dynamoClient } from '../../adapters/dynamodb/client/client.ts'
import type { ConsumedUnits } from '../../adapters/dynamodb/client/connection.ts'
import {
  type DynamoStore,
  type StoreOptions,
  storeOver,
} from '../../adapters/dynamodb/client/document-store.ts'
import { sdkRequests } from '../../adapters/dynamodb/client/sdk-store.ts'
import { createTables } from '../../adapters/dynamodb/create-tables.ts'
import { dynamoStorePorts } from '../../adapters/dynamodb/store-ports.ts'
import { schemas } from '../../adapters/formats/json-schema.ts'
import { skillMarkdown } from '../../adapters/formats/skill-markdown.ts'
import { hooks } from '../../adapters/hooks/registry.ts'
import { rawSecretSeals } from '../../adapters/kms/raw-seals.ts'
import type { Clock, Log } from '../../core/ports.ts'
import { defaultsOf } from '../../core/settings/read-setting.ts'
import { SETTINGS as ROWS } from '../../core/settings/table.ts'
import { digestSettings, type Settings } from '../../core/settings.ts'
import { startEmbedded } from './embedded-dynamodb.ts'
import { type KeyUse, keyedRequests } from './keyed-requests.ts'

export const SETTINGS: Settings = {
  ...digestSettings(defaultsOf(ROWS)),
  version: '0.1.0',
  tiers: { free: { callsPerMinute: 1_000_000, holdsMax: 32 } },
  streams: { perKeyMax: 20, totalMax: 70, anonymousMax: 7 },
  announceToolChanges: true,
  executeUrl: undefined,
}

/** The ports of the measured flows, without the HTTP entrances and the upstream. */
export type FlowPorts = ReturnType<typeof portsOver>

/** One request to the store. */
export type StoreRequest = { readonly startMs: number; readonly endMs: number }

export type Meter = {
  readonly consumed?: (consumed: ConsumedUnits) => void
  readonly request?: (request: StoreRequest) => void
  /** Each partition key of each request. */
  readonly keyed?: (use: KeyUse) => void
}

export type BenchStore = {
  /** `listVersionCopy`: of the tool list version, the copy that this process reads. */
  ports(clock: Clock, meter?: Meter, listVersionCopy?: number): FlowPorts
  stop(): Promise<void>
}

const TABLES = { gateway: 'Gateway', sessions: 'Sessions' }

export async function openBenchStore(): Promise<BenchStore> {
  const embedded = await startEmbedded({})
  if ('missing' in embedded) throw new Error(`the bench needs it: ${embedded.missing}`)
  const { endpoint } = embedded
  const clients = [dynamoClient({ endpoint })]
  if (clients[0] !== undefined) await createTables(clients[0], TABLES)
  return {
    ports: (clock, meter = {}, listVersionCopy = 0) => {
      const client = dynamoClient({ endpoint })
      clients.push(client)
      client.middlewareStack.add(timed(meter), { step: 'initialize' })
      const { consumed, keyed } = meter
      const onConsumed = consumed ?? (keyed === undefined ? undefined : () => {})
      const options: StoreOptions = {
        tables: TABLES,
        clock,
        ...(onConsumed === undefined ? {} : { onConsumed }),
        onTrouble: (cause) => console.error(cause),
      }
      const requests = sdkRequests(client)
      const store = storeOver(
        keyed === undefined ? requests : keyedRequests(requests, keyed),
        options,
      )
      return portsOver(store, clock, listVersionCopy)
    },
    stop: async () => {
      for (const client of clients) client.destroy()
      await embedded.stop()
    },
  }
}

function timed(meter: Meter) {
  return <Args, Answer>(next: (args: Args) => Promise<Answer>) =>
    async (args: Args): Promise<Answer> => {
      const startMs = performance.now()
      const answer = await next(args)
      meter.request?.({ startMs, endMs: performance.now() })
      return answer
    }
}

const SECRETS_KEY = new Uint8Array(32)

function portsOver(store: DynamoStore, clock: Clock, listVersionCopy: number) {
  return {
    clock,
    log: STRICT_LOG,
    ids: nodeIds(),
    digests: nodeDigests(),
    seals: nodeSeals(),
    schemas: schemas(),
    skillMarkdown: skillMarkdown(),
    secretSeals: rawSecretSeals(() => SECRETS_KEY),
    hooks: hooks({ clock, outboundAllow: SETTINGS.outboundAllow }),
    ...dynamoStorePorts(store, { listVersionCopy }),
  }
}

/** Throws on warnings, so that a failure is never measured. */
const STRICT_LOG: Log = {
  call: () => {},
  note: (level, event, _fields, cause) => {
    if (level !== 'info') throw new Error(`unexpected: ${event}`, { cause })
  },
}

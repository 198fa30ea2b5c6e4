/**
 * A registry on one store, and what is asked of that store: requests, how many of them one after
 * the other, and units. Nothing here waits for a network but the embedded store's.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nodeDigests } from '../../adapters/crypto/node-digests.ts'
import { nodeIds } from '../../adapters/crypto/node-ids.ts'
import { systemClock } from '../../adapters/crypto/system-clock.ts'
import { dynamoClient } from '../../adapters/dynamodb/client/client.ts'
import type { ConsumedUnits } from '../../adapters/dynamodb/client/connection.ts'
import { dynamoStore } from '../../adapters/dynamodb/client/sdk-store.ts'
import { createTables } from '../../adapters/dynamodb/create-tables.ts'
import { openLocalStore } from '../../adapters/dynamodb/local-store.ts'
import { dynamoStorePorts } from '../../adapters/dynamodb/store-ports.ts'
import { schemas } from '../../adapters/formats/json-schema.ts'
import { skillMarkdown } from '../../adapters/formats/skill-markdown.ts'
import { hooks } from '../../adapters/hooks/registry.ts'
import type { Ports, StorePorts } from '../../core/ports.ts'
import { startEmbedded } from '../lib/embedded-dynamodb.ts'

const TABLES = { gateway: 'Gateway', sessions: 'Sessions' }
const READS = ['get', 'batchGet', 'query']

export type StoreRequests = {
  readonly requests: number
  /** Groups of requests that were under way together: one waits for the one before. */
  readonly roundTrips: number
  readonly rru: number
  readonly wru: number
}

export type RegistryPorts = StorePorts &
  Pick<Ports, 'clock' | 'digests' | 'hooks' | 'ids' | 'log' | 'schemas' | 'skillMarkdown'>

export type RegistryWorld = {
  readonly ports: RegistryPorts
  /** The requests of `work`; undefined when the store counts nothing. */
  requestsOf(work: () => Promise<unknown>): Promise<StoreRequests | undefined>
  stop(): Promise<void>
}

/** In a file, as `npm start` has it. */
export function fileWorld(): RegistryWorld {
  const folder = mkdtempSync(join(tmpdir(), 'skillgate-bench-'))
  const onTrouble = (cause: unknown) => console.error(cause)
  const file = join(folder, 'items.sqlite')
  const store = openLocalStore({ file, clock: systemClock(), onTrouble })
  const ports = portsOver(store.ports)
  const requestsOf = async (work: () => Promise<unknown>) => {
    await work()
    return undefined
  }
  const stop = async () => {
    await store.close()
    rmSync(folder, { recursive: true })
  }
  return { ports, requestsOf, stop }
}

export async function embeddedWorld(): Promise<RegistryWorld> {
  const embedded = await startEmbedded({})
  if ('missing' in embedded) throw new Error(`the bench needs it: ${embedded.missing}`)
  const client = dynamoClient({ endpoint: embedded.endpoint })
  await createTables(client, TABLES)
  const meter = newMeter()
  client.middlewareStack.add((next) => (args) => meter.during(() => next(args)), {
    step: 'initialize',
  })
  const clock = systemClock()
  const { onConsumed } = meter
  const store = dynamoStore({ client, tables: TABLES, clock, onConsumed, onTrouble: fail })
  const stop = async () => {
    client.destroy()
    await embedded.stop()
  }
  return { ports: portsOver(dynamoStorePorts(store)), requestsOf: meter.requestsOf, stop }
}

function newMeter() {
  let count = { requests: 0, roundTrips: 0, rru: 0, wru: 0 }
  let underWay = 0
  return {
    async during<T>(request: () => Promise<T>): Promise<T> {
      if (underWay === 0) count.roundTrips += 1
      underWay += 1
      count.requests += 1
      try {
        return await request()
      } finally {
        underWay -= 1
      }
    },
    onConsumed({ command, units }: ConsumedUnits) {
      if (READS.includes(command)) count.rru += units
      else count.wru += units
    },
    async requestsOf(work: () => Promise<unknown>): Promise<StoreRequests> {
      count = { requests: 0, roundTrips: 0, rru: 0, wru: 0 }
      await work()
      return { ...count }
    },
  }
}

function portsOver(stored: StorePorts): RegistryPorts {
  const clock = systemClock()
  return {
    ...stored,
    clock,
    digests: nodeDigests(),
    hooks: hooks({ clock, outboundAllow: [] }),
    ids: nodeIds(),
    log: { call: () => {}, note: (level, event) => (level === 'info' ? undefined : fail(event)) },
    schemas: schemas(),
    skillMarkdown: skillMarkdown(),
  }
}

/** Throws on warnings, so that a failure is never measured. */
function fail(cause: unknown): never {
  throw new Error('unexpected trouble', { cause })
}

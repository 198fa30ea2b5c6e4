/**
 * `npm run bench:sweep -- 10000`: a run of the sweep over the entries of so many users, one in a hundred with a
 * dead hold, on the embedded DynamoDB, which carries out writes one after the other, or on the one at
 * AWS_ENDPOINT_URL_DYNAMODB; as many more runs as that takes. Prints time, CPU, and what is asked of the store; fails
 * when a hold is left. `-- --short` only tries whether it works.
 */
import { sleepingClock } from '../lib/sleeping-clock.ts'
import '../../scripts/help.ts'
import { BatchWriteCommand, DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { nodeIds } from '../../adapters/crypto/node-ids.ts'
import { dynamoClient } from '../../adapters/dynamodb/client/client.ts'
import { storeOver } from '../../adapters/dynamodb/client/document-store.ts'
import type { Item } from '../../adapters/dynamodb/client/item.ts'
import { signedRequests } from '../../adapters/dynamodb/client/signed/signed-requests.ts'
import type { StoreRequests } from '../../adapters/dynamodb/client/store-requests.ts'
import { createTables } from '../../adapters/dynamodb/create-tables.ts'
import { profileItem } from '../../adapters/dynamodb/records/profile-item.ts'
import { dynamoStorePorts } from '../../adapters/dynamodb/store-ports.ts'
import { minuteKey } from '../../adapters/dynamodb/table.ts'
import { inGroups } from '../../core/flow/execute/read-profiles.ts'
import { SWEEP_ENTRY_TTL_SEC } from '../../core/ledger/limits.ts'
import type { StorePorts } from '../../core/ports.ts'
import { sweepDoor } from '../../lambdas/sweep/door.ts'
import { startEmbedded } from '../lib/embedded-dynamodb.ts'
import { printMachine, printTable } from '../lib/figures.ts'
import { inShort, WORDS } from '../lib/short.ts'

const TABLES = { gateway: 'Gateway', sessions: 'Sessions' }
const MINUTE_MS = 60_000
const BEGIN_MS = Date.UTC(2026, 10, 1)
const DEAD_EVERY = 100
const CREDITS = 10_000_000
/** A request waits for the writes before it. */
const STORE_MS_MAX = 60_000
/** DynamoDB's limit for one request. */
const BATCH_ITEMS_MAX = 25
const WRITERS = 2

const users = Number(WORDS[0] ?? inShort(10_000, 200))
const log = { call: () => {}, note: () => {} }

async function measure(): Promise<void> {
  const { endpoint, stop } = await openStore()
  const maker = dynamoClient({ endpoint, requestTimeoutMs: STORE_MS_MAX })
  await createTables(maker, TABLES)
  const document = DynamoDBDocumentClient.from(maker, {
    marshallOptions: { removeUndefinedValues: true },
  })
  const credentials = () => ({ accessKeyId: 'local', secretAccessKey: 'local' })
  const client = signedRequests({
    endpoint: new URL(endpoint),
    region: 'us-east-1',
    credentials,
    requestTimeoutMs: STORE_MS_MAX,
  })
  try {
    await run(client, document)
  } finally {
    client.close()
    maker.destroy()
    await stop()
  }
}

/** The one that is asked for, which keeps its tables, or an embedded one. */
async function openStore(): Promise<{ readonly endpoint: string; stop(): Promise<void> }> {
  const endpoint = process.env['AWS_ENDPOINT_URL_DYNAMODB']
  if (endpoint !== undefined) return { endpoint, stop: async () => {} }
  const embedded = await startEmbedded({})
  if ('missing' in embedded) throw new Error(`the bench needs it: ${embedded.missing}`)
  return embedded
}

async function run(client: StoreRequests, document: DynamoDBDocumentClient): Promise<void> {
  let wallMs = BEGIN_MS
  let sweptAtMs = 0
  // Time passes during the sweep as it does for the function, so that the run ends when its time is over.
  const clock = sleepingClock({
    nowMs: () => wallMs + (sweptAtMs === 0 ? 0 : performance.now() - sweptAtMs),
    sleep: () => Promise.resolve(),
  })
  const counts = { requests: 0, reads: 0, writes: 0 }
  const requests: StoreRequests = {
    send: (operation, input) => {
      counts.requests += 1
      return client.send(operation, input)
    },
  }
  const store = storeOver(requests, {
    tables: TABLES,
    clock,
    onConsumed: ({ command, units }) => {
      const isRead = command === 'get' || command === 'batchGet' || command === 'query'
      counts[isRead ? 'reads' : 'writes'] += units
    },
  })
  const ports = { clock, ids: nodeIds(), log, ...dynamoStorePorts(store) }
  const minute = Math.floor(BEGIN_MS / MINUTE_MS)
  await ports.sweepEntries.writeCursor({ minute, after: '' })
  const uids = Array.from({ length: users }, (_, n) => `user${n}`)
  await makeUsers(document, uids, minute)
  for (const [n, uid] of uids.entries()) if (n % DEAD_EVERY === 0) await hold(ports, uid)
  wallMs += 2 * MINUTE_MS
  Object.assign(counts, { requests: 0, reads: 0, writes: 0 })
  const cpu = process.cpuUsage()
  const startMs = performance.now()
  let holds = 0
  let left = 1
  // The store may be too slow for one run.
  for (let runs = 1; left > 0; runs += 1) {
    wallMs += MINUTE_MS
    sweptAtMs = performance.now()
    const report = await sweepDoor(ports)()
    console.log(`run ${runs}: ${JSON.stringify(report)}`)
    holds += report.holds
    left = report.left + report.backlogMinutes
  }
  const tookSec = (performance.now() - startMs) / 1_000
  const { system, user } = process.cpuUsage(cpu)
  const cpuSec = (system + user) / 1_000_000
  const { requests: sent, reads, writes } = counts
  printMachine(`npm run bench:sweep -- ${users}`)
  printTable(
    ['entries', 's', 'CPU s', 'CPU ms each', 'requests', 'RRU each', 'WRU each'],
    [
      [
        users,
        tookSec.toFixed(1),
        cpuSec.toFixed(1),
        ((1_000 * cpuSec) / users).toFixed(2),
        sent,
        (reads / users).toFixed(2),
        (writes / users).toFixed(2),
      ],
    ],
  )
  if (holds !== Math.ceil(users / DEAD_EVERY)) throw new Error(`${holds} holds ended`)
}

/** Users and their entries, as the ports write them, 25 items in a request. */
async function makeUsers(
  document: DynamoDBDocumentClient,
  uids: readonly string[],
  minute: number,
): Promise<void> {
  const ttl = minute * 60 + SWEEP_ENTRY_TTL_SEC
  const items = uids.flatMap((uid) => [
    profileItem({
      uid,
      username: uid,
      tier: 'free',
      credits: CREDITS,
      holds: {},
      createdAtMs: BEGIN_MS,
      skillsChangedAtMs: 0,
    }),
    { ...minuteKey(minute, `uid#${uid}`), uid, ttl },
  ])
  const batches = inGroups(items, BATCH_ITEMS_MAX).values()
  const writer = async () => {
    for (const batch of batches) await writeAll(document, batch)
  }
  await Promise.all(Array.from({ length: WRITERS }, writer))
}

async function writeAll(document: DynamoDBDocumentClient, items: readonly Item[]): Promise<void> {
  const writes = items.map((Item) => ({ PutRequest: { Item } }))
  const command = new BatchWriteCommand({ RequestItems: { [TABLES.gateway]: writes } })
  const { UnprocessedItems = {} } = await document.send(command)
  if (Object.keys(UnprocessedItems).length > 0) throw new Error('the store left items out')
}

function hold(ports: StorePorts, uid: string) {
  const dead = {
    amount: 1_000_000,
    skillId: 'sg_weather',
    source: 'official',
    writeToken: `token-${uid}`,
    heldAtMs: BEGIN_MS,
  } as const
  return ports.ledger.hold({ uid, callId: `dead-${uid}`, holdsMax: 32, hold: dead })
}

await measure()

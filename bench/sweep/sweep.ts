/**
 * `npm run bench:sweep -- 10000`: a run of the sweep over the entries of so many users, one in a hundred with a
 * dead hold, on the embedded DynamoDB, which carries out writes one after the other; as many more runs as that takes.
 * Prints time, CPU, and what is asked of the store; fails when a hold is left.
 */
import '../../scripts/help.ts'
import { nodeIds } from '../../adapters/crypto/node-ids.ts'
import { dynamoClient } from '../../adapters/dynamodb/client/client.ts'
import { storeOver } from '../../adapters/dynamodb/client/document-store.ts'
import { signedRequests } from '../../adapters/dynamodb/client/signed/signed-requests.ts'
import type { StoreRequests } from '../../adapters/dynamodb/client/store-requests.ts'
import { createTables } from '../../adapters/dynamodb/create-tables.ts'
import { dynamoStorePorts } from '../../adapters/dynamodb/store-ports.ts'
import { SWEEP_USERS_AT_ONCE } from '../../core/flow/execute/sweep-minute.ts'
import type { StorePorts } from '../../core/ports.ts'
import { sweepDoor } from '../../lambdas/sweep/door.ts'
import { startEmbedded } from '../../local/store/embedded-dynamodb.ts'
import { printMachine } from '../lib/figures.ts'

const TABLES = { gateway: 'Gateway', sessions: 'Sessions' }
const MINUTE_MS = 60_000
const BEGIN_MS = Date.UTC(2026, 10, 1)
const DEAD_EVERY = 100
const CREDITS = 10_000_000
/** A request waits for the writes before it. */
const STORE_MS_MAX = 60_000

const users = Number(process.argv[2] ?? 10_000)
const log = { call: () => {}, note: () => {} }

async function measure(): Promise<void> {
  const embedded = await startEmbedded({})
  if ('missing' in embedded) throw new Error(`the bench needs it: ${embedded.missing}`)
  const { endpoint } = embedded
  const maker = dynamoClient({ endpoint })
  await createTables(maker, TABLES)
  maker.destroy()
  const credentials = () => ({ accessKeyId: 'local', secretAccessKey: 'local' })
  const client = signedRequests({
    endpoint: new URL(endpoint),
    region: 'us-east-1',
    credentials,
    requestTimeoutMs: STORE_MS_MAX,
  })
  try {
    await run(client)
  } finally {
    client.close()
    await embedded.stop()
  }
}

async function run(client: StoreRequests): Promise<void> {
  let wallMs = BEGIN_MS
  let sweptAtMs = 0
  // Time passes during the sweep as it does for the function, so that the run ends when its time is over.
  const clock = {
    nowMs: () => wallMs + (sweptAtMs === 0 ? 0 : performance.now() - sweptAtMs),
    sleep: () => Promise.resolve(),
  }
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
  const waiting = uids.entries()
  const makeSome = async () => {
    for (const [n, uid] of waiting) await makeUser(ports, uid, minute, n % DEAD_EVERY === 0)
  }
  await Promise.all(Array.from({ length: SWEEP_USERS_AT_ONCE }, makeSome))
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
  console.log(
    `${users} entries: ${tookSec.toFixed(1)} s, CPU ${cpuSec.toFixed(1)} s (${((1_000 * cpuSec) / users).toFixed(2)} ms each)`,
  )
  console.log(
    `${sent} requests; for each entry ${(reads / users).toFixed(2)} read and ${(writes / users).toFixed(2)} write units`,
  )
  if (holds !== Math.ceil(users / DEAD_EVERY)) throw new Error(`${holds} holds ended`)
}

async function makeUser(
  ports: StorePorts,
  uid: string,
  minute: number,
  isDead: boolean,
): Promise<void> {
  await ports.profiles.create({
    uid,
    username: uid,
    tier: 'free',
    credits: CREDITS,
    holds: {},
    createdAtMs: BEGIN_MS,
    skillsChangedAtMs: 0,
  })
  await ports.sweepEntries.put({ uid, minute })
  if (!isDead) return
  const hold = {
    amount: 1_000_000,
    skillId: 'sg_weather',
    source: 'official',
    writeToken: `token-${uid}`,
    heldAtMs: BEGIN_MS,
  } as const
  await ports.ledger.hold({ uid, callId: `dead-${uid}`, holdsMax: 32, hold })
}

await measure()

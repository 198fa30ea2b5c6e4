/**
 * One store (an embedded DynamoDB in memory), an upstream, and workers on it; with what an administrator and the
 * schedule do. Everything is stopped by who started it.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { nodeDigests } from '../../adapters/crypto/node-digests.ts'
import { nodeIds } from '../../adapters/crypto/node-ids.ts'
import { systemClock } from '../../adapters/crypto/system-clock.ts'
import { dynamoClient } from '../../adapters/dynamodb/client/client.ts'
import { dynamoStore } from '../../adapters/dynamodb/client/sdk-store.ts'
import { createTables } from '../../adapters/dynamodb/create-tables.ts'
import { dynamoStorePorts } from '../../adapters/dynamodb/store-ports.ts'
import { GATEWAY_TABLE, SESSIONS_TABLE } from '../../adapters/dynamodb/table.ts'
import { makeSchemasWithPatterns } from '../../adapters/formats/json-schema.ts'
import { makeSkillMarkdown } from '../../adapters/formats/skill-markdown.ts'
import { makeHooks } from '../../adapters/hooks/registry.ts'
import { startEmbedded } from '../../bench/lib/embedded-dynamodb.ts'
import type { Result } from '../../core/errors.ts'
import { sweepHolds } from '../../core/flow/execute/sweep-holds.ts'
import { syncSkill } from '../../core/flow/registry/sync-skill.ts'
import { issueKey } from '../../core/flow/users/manage-keys.ts'
import { createUser } from '../../core/flow/users/manage-users.ts'
import type { Outcome } from '../../core/ledger/ledger.ts'
import type { Ledger } from '../../core/ports/ledger.ts'
import type { Clock, Log } from '../../core/ports/outside.ts'
import { definition, SKILLS } from '../kill/skills.ts'
import { type CountingUpstream, startUpstream } from '../kill/upstream.ts'
import { fleetClock, settingsOf, type WorkerSetup, type WorkerStore } from './setup.ts'

const WORKER = fileURLToPath(new URL('./worker.ts', import.meta.url))
/**
 * Longer than a stale hold (60 s), the minute after its entry, and the minute that a sweep leaves
 * alone.
 */
const LATER_MS = 180_000
const MICRO = 1_000_000

export type Worker = {
  readonly url: string
  /** Resolves when nothing runs any more, work after answers included. */
  idle(): Promise<void>
  kill(): Promise<void>
}

export type Books = {
  readonly credits: number
  /**
   * Without those of charged calls: a process that is killed between the two writes leaves the outcome beside the
   * hold that it ends.
   */
  readonly holds: number
  readonly settled: number
  /** Sum of all `settled` outcomes. */
  readonly charged: number
}

export type Fleet = {
  readonly upstream: CountingUpstream
  startWorkers(count: number): Promise<readonly Worker[]>
  user(of: { credits: number; tier?: string }): Promise<{ uid: string; key: string }>
  books(uid: string): Promise<Books>
  /** Call ids of all holds, those of charged calls among them. */
  heldIds(uid: string): Promise<readonly string[]>
  /** Call ids of all charged calls. */
  settledIds(uid: string): Promise<ReadonlySet<string>>
  /** Counts one more call of this key; returns the minute's count. */
  countOnce(key: string): Promise<number>
  /** Runs a sweep as the schedule would, three minutes later. */
  sweepLater(): Promise<void>
  stop(): Promise<void>
}

/** `workMs`: how long the upstream works on a call. */
export async function startFleet(workMs: number): Promise<Fleet> {
  const { store, remove } = await makeStore()
  const upstream = await startUpstream(workMs)
  const beganMs = Date.now()
  const firstMs = nextMinuteMs(beganMs)
  const setup = { store, upstream: upstream.host, beganMs, firstMs }
  const admin = await openAdmin(setup)
  const workers = new Set<Worker>()
  return {
    ...admin.does,
    upstream,
    startWorkers: async (count) => {
      const started = await Promise.all(Array.from({ length: count }, () => startWorker(setup)))
      for (const worker of started) workers.add(worker)
      return started
    },
    stop: async () => {
      await Promise.all([...workers].map((worker) => worker.kill()))
      admin.close()
      await upstream.stop()
      await remove()
    },
  }
}

/** All processes live in the first seconds of a minute, so that no counter ends under a test. */
function nextMinuteMs(nowMs: number): number {
  return nowMs + 60_000 - (nowMs % 60_000)
}

const SILENT: Log = { call: () => {}, note: () => {} }

/** A new one; nobody else is on it. */
async function makeStore(): Promise<{ readonly store: WorkerStore; remove(): Promise<void> }> {
  const embedded = await startEmbedded({})
  if ('missing' in embedded) throw new Error(`these tests need it: ${embedded.missing}`)
  return { store: { endpoint: embedded.endpoint }, remove: () => embedded.stop() }
}

async function openAdminStore({ endpoint }: WorkerStore, clock: Clock) {
  const client = dynamoClient({ endpoint })
  const tables = { gateway: GATEWAY_TABLE.name, sessions: SESSIONS_TABLE.name }
  await createTables(client, tables)
  return {
    ports: dynamoStorePorts(dynamoStore({ client, tables, clock })),
    close: () => client.destroy(),
  }
}

async function openAdmin(setup: WorkerSetup) {
  const real = systemClock()
  const clock = { ...real, nowMs: fleetClock(setup).nowMs }
  const later = { ...real, nowMs: () => clock.nowMs() + LATER_MS }
  const { ports: store, close } = await openAdminStore(setup.store, clock)
  const digests = nodeDigests()
  const checks = {
    hooks: makeHooks({ clock, ...settingsOf(setup) }),
    schemas: makeSchemasWithPatterns(),
    skillMarkdown: makeSkillMarkdown(),
  }
  const ports = { ...store, ...checks, clock, digests, ids: nodeIds(), log: SILENT }
  await ports.sweepEntries.writeCursor({ minute: minuteOf(clock.nowMs()) - 1, after: '' })
  for (const skill of SKILLS) {
    const text = JSON.stringify(definition(skill, setup.upstream))
    const push = { text, source: undefined, uid: undefined, list: 'now' } as const
    must(await syncSkill(ports, settingsOf(setup), push))
  }
  const profileOf = async (uid: string) => {
    const profile = await ports.profiles.read(uid)
    if (profile === undefined) throw new Error(`no user ${uid}`)
    return profile
  }
  let users = 0
  const does = {
    user: async ({ credits, tier = 'free' }: { credits: number; tier?: string }) => {
      users += 1
      const made = must(await createUser(ports, { username: `user${users}`, credits, tier }))
      const { key } = must(await issueKey(ports, made.uid))
      return { uid: made.uid, key }
    },
    heldIds: async (uid: string) => Object.keys((await profileOf(uid)).holds),
    books: async (uid: string): Promise<Books> => {
      const profile = await profileOf(uid)
      const settled = await settledOf(ports.ledger, uid)
      const charged = settled.reduce((sum, { amount }) => sum + amount, 0)
      const chargedIds = new Set(settled.map(({ callId }) => callId))
      return {
        credits: profile.credits / MICRO,
        holds: Object.keys(profile.holds).filter((callId) => !chargedIds.has(callId)).length,
        settled: settled.length,
        charged: charged / MICRO,
      }
    },
    settledIds: async (uid: string) =>
      new Set((await settledOf(ports.ledger, uid)).map(({ callId }) => callId)),
    countOnce: (key: string) =>
      ports.rateCounters.count({ keyHash: digests.sha256(key), minute: minuteOf(clock.nowMs()) }),
    sweepLater: async () => {
      const jobVisits = { visit: async () => ({ kind: 'none' }) as const }
      await sweepHolds({ ...ports, jobVisits, clock: later })
    },
  }
  return { does, close }
}

async function settledOf(ledger: Ledger, uid: string): Promise<readonly Outcome[]> {
  const settled: Outcome[] = []
  let next: string | undefined
  do {
    const page = await ledger.list({
      uid,
      limit: 100,
      ...(next === undefined ? {} : { before: next }),
    })
    settled.push(...page.outcomes.filter(({ state }) => state === 'settled'))
    next = page.next
  } while (next !== undefined)
  return settled
}

function minuteOf(nowMs: number): number {
  return Math.floor(nowMs / 60_000)
}

function must<T>(result: Result<T>): T {
  if (result.ok) return result.value
  throw new Error(result.error.detail)
}

async function startWorker(setup: WorkerSetup): Promise<Worker> {
  const child = fork(WORKER, [JSON.stringify(setup)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [],
  })
  const killChild = () => child.kill('SIGKILL')
  process.once('exit', killChild)
  const exit = once(child, 'exit').then(() => {
    process.off('exit', killChild)
  })
  const { url } = await said<{ url: string }>(child, exit)
  return {
    url,
    idle: async () => {
      child.send('idle')
      await said(child, exit)
    },
    kill: async () => {
      child.kill('SIGKILL')
      await exit
    },
  }
}

/** The worker's next message: it sends only replies, of the types in setup.ts. */
async function said<T>(child: ChildProcess, gone: Promise<void>): Promise<T> {
  const stop = new AbortController()
  const message = once(child, 'message', { signal: stop.signal }).then(([text]) => text as T)
  message.catch(() => {})
  const ended = gone.then(() => {
    throw new Error('the worker ended')
  })
  try {
    return await Promise.race([message, ended])
  } finally {
    ended.catch(() => {})
    stop.abort()
  }
}

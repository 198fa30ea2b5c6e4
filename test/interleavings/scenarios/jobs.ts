/**
 * Jobs of an upstream are polled, cancelled and swept at once, in processes that may die. Each interval has one
 * question, each job ends once, none is both cancelled and charged, and none is charged without its result.
 */
import { fromOutcomeItem } from '../../../adapters/dynamodb/records/outcome-item.ts'
import { fromProfileItem } from '../../../adapters/dynamodb/records/profile-item.ts'
import { profileKey, taskKey } from '../../../adapters/dynamodb/table.ts'
import { toMinute } from '../../../core/access/minute.ts'
import { makeCallId } from '../../../core/call/call-id.ts'
import { makeExecuteCaches } from '../../../core/flow/execute/execute-caches.ts'
import { sweepHolds } from '../../../core/flow/execute/sweep-holds.ts'
import { voidCall } from '../../../core/flow/execute/void-call.ts'
import { lookAfterJob } from '../../../core/flow/jobs/look-after-job.ts'
import { syncSkill } from '../../../core/flow/registry/sync-skill.ts'
import { handOverTask } from '../../../core/flow/streamable-http/hand-over-task.ts'
import { viewTask } from '../../../core/flow/tools/task-record.ts'
import { sweepEntryMs } from '../../../core/ledger/hold-deadline.ts'
import { LATEST_MODERN } from '../../../core/mcp/revisions.ts'
import { TASK_LEASE_MS } from '../../../core/mcp/task.ts'
import type { JobErrand } from '../../../core/ports/jobs.ts'
import type { Upstream } from '../../../core/ports/outside.ts'
import { holdOf, profileOf } from '../../contracts/fresh.ts'
import { SETTINGS, skillJson } from '../../core/flow/world.ts'
import { flowPorts } from '../outside.ts'
import type { Scenario } from '../scenario.ts'
import {
  itemAt,
  itemsIn,
  type Process,
  plan,
  planCrash,
  quietly,
  report,
  START_MS,
  type World,
} from '../world.ts'

const UID = 'u1'
const KEY = 'k1'
const START = 10_000
const PRICE = 100
const POLL_MS = 10_000
const UNTIL_ALL_IS_OVER_MS = 1_500_000
/** Sweeps that reach the present from any schedule. */
const SWEEPS_MAX = 30
const API = 'https://api.example/jobs'
const TEXT = new TextEncoder()

type Job = {
  readonly callId: string
  readonly hash: string
  readonly startedAtMs: number
  readonly deadlineMs: number
  /** When its upstream is done; after that it says so. */
  readonly doneAtMs: number
  /** The times of claims that succeeded. */
  readonly claimedAtMs: number[]
  stopped: number
}

export const jobs: Scenario = {
  name: 'jobs',
  async start(world) {
    const { random } = world
    const placed: Job[] = []
    await quietly(world, async (ports, process) => {
      await ports.profiles.create(profileOf(UID, { credits: START }))
      await ports.keys.put(keyRecord())
      await ports.sweepEntries.writeCursor({ minute: toMinute(START_MS) - 2, after: '' })
      const text = JSON.stringify(skillJson('sg_draw', { config: CONFIG }))
      const synced = await syncSkill(flowPorts(process), SETTINGS, {
        text,
        source: undefined,
        uid: undefined,
        list: 'now',
      })
      if (!synced.ok) report(world, JSON.stringify(synced.error))
    })
    for (let count = 1 + random.below(3); count > 0; count -= 1) {
      plan(world, 'a job begins', (process) => begin(world, process, placed))
    }
    for (let polls = 6 + random.below(20); polls > 0; polls -= 1) {
      plan(world, 'a task is polled', async (process) => {
        await process.clock.sleep(random.below(random.pick([30_000, 200_000])))
        if (placed.length === 0) return
        const job = random.pick(placed)
        await Promise.all([1, 2, 3].map(() => poll(process, job)))
      })
    }
    for (let cancels = random.below(4); cancels > 0; cancels -= 1) {
      plan(world, 'a task is cancelled', async (process) => {
        await process.clock.sleep(random.below(200_000))
        if (placed.length > 0) await cancel(process, random.pick(placed))
      })
    }
    for (let sweeps = 1 + random.below(4); sweeps > 0; sweeps -= 1) {
      plan(world, 'a sweep runs', async (process) => {
        await process.clock.sleep(random.below(400_000))
        await sweep(process, placed)
      })
    }
    planCrash(world)
    return () => checkEnd(world, placed)
  },
}

const CONFIG = {
  endpoint: API,
  method: 'POST',
  task: {
    max_sec: 120,
    job: {
      values: { id: '/id' },
      status: { endpoint: `${API}/{id}`, pointer: '/status', done: ['done'], message: '/note' },
      cancel: { method: 'DELETE', endpoint: `${API}/{id}` },
    },
  },
}

function keyRecord() {
  const times = { createdAtMs: START_MS, expiresAtMs: START_MS * 2, renewedAtMs: START_MS }
  return { keyHash: KEY, uid: UID, username: UID, keyPrefix: 'sgk_', ...times }
}

async function begin(world: World, process: Process, placed: Job[]): Promise<void> {
  const ports = flowPorts(process)
  const startedAtMs = ports.clock.nowMs()
  const callId = makeCallId(startedAtMs, ports.ids.token(16))
  const deadlineMs = startedAtMs + 120_000
  const untilMs = deadlineMs + 30_000
  const hold = holdOf(PRICE, { heldAtMs: startedAtMs, writeToken: ports.ids.token(16), untilMs })
  const hash = ports.digests.sha256(callId)
  await ports.sweepEntries.put({ uid: UID, minute: toMinute(sweepEntryMs(hold)) })
  const held = await ports.ledger.hold({ uid: UID, callId, hold, holdsMax: 8 })
  if (held.kind !== 'held') return
  const worker = ports.ids.token(9)
  const task = { hash, uid: UID, keyHash: KEY, callId, createdAtMs: startedAtMs, untilMs }
  const aliveUntilMs = startedAtMs + TASK_LEASE_MS
  await ports.tasks.create({ ...task, job: true, worker, aliveUntilMs })
  const doneAtMs = startedAtMs + world.random.below(200_000)
  placed.push({ callId, hash, startedAtMs, deadlineMs, doneAtMs, claimedAtMs: [], stopped: 0 })
  // A start that takes long, of a process that may hang past its lease.
  await ports.clock.sleep(world.random.below(world.random.pick([1_000, 90_000])))
  const handed = { hash, name: 'sg_draw', revision: LATEST_MODERN, taskId: callId, worker }
  const ended = await handOverTask(ports, handed, {
    callId,
    uid: UID,
    keyHash: KEY,
    username: UID,
    skillId: 'sg_draw',
    source: 'official',
    skillUid: undefined,
    version: 1,
    startedAtMs,
    deadlineMs,
    pollMs: POLL_MS,
    values: { id: callId },
    message: undefined,
    facts: { keyId: KEY, door: 'mcp', phases: {} },
  })
  if (ended === 'kept') return
  const reason = ended === 'cancelled' ? ended : 'crashed'
  await voidCall(ports, { uid: UID, callId, reason })
}

/** As `tasks/get` does it. */
async function poll(process: Process, job: Job): Promise<void> {
  const ports = flowPorts(process)
  const stored = await ports.tasks.read(job.hash)
  if (stored === undefined) return
  const jobVisits = { visit: ({ does }: JobErrand) => visit(process, job, does) }
  const execute = {
    voidCall: async (call: Parameters<typeof voidCall>[1]) => {
      await voidCall(ports, call)
      return 'free' as const
    },
  }
  await viewTask({ ...ports, jobVisits, execute }, SETTINGS, { taskId: job.callId, stored })
}

function visit(process: Process, job: Job, does: JobErrand['does']) {
  const { callId } = job
  const host = {
    ports: portsOf(process, job),
    settings: SETTINGS,
    caches: makeExecuteCaches(),
  }
  return lookAfterJob(host, { uid: UID, callId, does })
}

const NEVER = () => Promise.reject(new Error('not in these worlds'))

function portsOf(process: Process, job: Job) {
  const upstream: Upstream = {
    send: async ({ method }) => {
      if (method === 'DELETE') job.stopped += 1
      await process.clock.sleep(50)
      const status = process.clock.nowMs() >= job.doneAtMs ? 'done' : 'running'
      const note = String(process.clock.nowMs())
      const body = TEXT.encode(JSON.stringify({ status, note }))
      const response = { status: 200, mediaType: 'application/json', charset: 'utf-8', body }
      return { kind: 'answered', response }
    },
  }
  const ports = flowPorts(process)
  const claim: typeof ports.jobs.claim = async (of) => {
    const claimed = await ports.jobs.claim(of)
    if (claimed !== undefined) job.claimedAtMs.push(of.nowMs)
    return claimed
  }
  return {
    ...ports,
    jobs: { ...ports.jobs, claim },
    upstream,
    keptResults: { put: NEVER, read: NEVER },
    oauthClient: { refresh: NEVER },
    secretSeals: { open: NEVER, seal: NEVER },
  }
}

/** Returns the minutes that are left to sweep. */
async function sweep(process: Process, placed: readonly Job[]): Promise<number> {
  const jobVisits = {
    visit: async ({ callId }: JobErrand) => {
      const job = placed.find((one) => one.callId === callId)
      return job === undefined ? ({ kind: 'none' } as const) : visit(process, job, 'end')
    },
  }
  return (await sweepHolds({ ...flowPorts(process), jobVisits })).backlogMinutes
}

async function cancel(process: Process, job: Job): Promise<void> {
  const { callId, hash } = job
  const nowMs = process.clock.nowMs()
  const end = { hash, status: 'cancelled', nowMs, by: 'caller' } as const
  if ((await process.ports.tasks.end(end)) !== 'own') return
  await voidCall(flowPorts(process), { uid: UID, callId, reason: 'cancelled' })
  await visit(process, job, 'stop')
}

async function checkEnd(world: World, placed: readonly Job[]): Promise<void> {
  await quietly(world, async (_ports, process) => {
    await process.clock.sleep(UNTIL_ALL_IS_OVER_MS)
    // A sweep that takes its whole minute leaves the rest to the next one.
    for (let sweeps = 1; sweeps <= SWEEPS_MAX; sweeps += 1) {
      if ((await sweep(process, placed)) === 0) return
    }
  })
  const item = itemAt(world, 'gateway', profileKey(UID))
  if (item === undefined) {
    report(world, 'the profile is gone')
    return
  }
  const { credits, holds } = fromProfileItem(item)
  for (const callId of Object.keys(holds)) report(world, `${callId} is on hold for ever`)
  const outcomes = itemsIn(world, 'gateway', `ledger:${UID}`).map(fromOutcomeItem)
  const paid = outcomes.filter(({ state }) => state === 'settled')
  const sum = credits + paid.length * PRICE
  if (sum !== START) report(world, `credits + charged = ${sum}, given were ${START}`)
  for (const job of placed) {
    const isPaid = paid.some(({ callId }) => callId === job.callId)
    checkJob(world, job, isPaid)
  }
}

function checkJob(world: World, job: Job, isPaid: boolean): void {
  const { callId, claimedAtMs, hash, stopped } = job
  const head = itemAt(world, 'sessions', taskKey(hash))
  const data = head?.['data']
  const text = data instanceof Uint8Array ? new TextDecoder().decode(data) : ''
  const status = String(head?.['status'])
  const hasEndedFree = status === 'cancelled' || status === 'failed'
  if (hasEndedFree && isPaid) report(world, `${callId} is ${status}, charged`)
  if (isPaid && !text.includes('"isError":false')) report(world, `${callId} is charged for nothing`)
  const times = claimedAtMs.toSorted((one, other) => one - other)
  const isTooOften = times.some((ms, at) => ms - (times[at - 1] ?? 0) < POLL_MS)
  if (isTooOften) report(world, `${callId} was asked twice in one interval`)
  if (stopped > 2) report(world, `${callId} was stopped ${stopped} times`)
  if (isPaid) world.happened.add('job charged')
  if (status === 'cancelled') world.happened.add('job cancelled')
}

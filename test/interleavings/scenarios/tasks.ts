/**
 * Tasks hold credits for minutes, beside short calls, in processes that may die, while sweeps run and clients
 * ask and cancel. No task is ended as dead while its lease is good, each is ended after its deadline, none that
 * is cancelled or failed is charged, and the two kinds of holds keep their own limits.
 */
import type { Item } from '../../../adapters/dynamodb/client/item.ts'
import { fromOutcomeItem } from '../../../adapters/dynamodb/records/outcome-item.ts'
import { fromProfileItem } from '../../../adapters/dynamodb/records/profile-item.ts'
import { profileKey, taskKey } from '../../../adapters/dynamodb/table.ts'
import { toMinute } from '../../../core/access/minute.ts'
import { makeCallId } from '../../../core/call/call-id.ts'
import type { ExecuteAnswer } from '../../../core/call/execute.ts'
import type { AnswerClaim } from '../../../core/call/idempotency.ts'
import { toProblemAnswer } from '../../../core/flow/execute/execute-request.ts'
import {
  claimOrReplay,
  type KeyedCall,
  keepAnswer,
  keepTask,
} from '../../../core/flow/execute/idempotent-call.ts'
import { settleCall } from '../../../core/flow/execute/settle-call.ts'
import { sweepHolds } from '../../../core/flow/execute/sweep-holds.ts'
import { voidCall } from '../../../core/flow/execute/void-call.ts'
import { keepLease } from '../../../core/flow/streamable-http/task-lease.ts'
import { endDeadTask } from '../../../core/flow/tools/end-dead-task.ts'
import { isTask, sweepEntryMs } from '../../../core/ledger/hold-deadline.ts'
import type { Outcome } from '../../../core/ledger/ledger.ts'
import { TASK_LEASE_MS, TASK_POLL_MS, type TaskWrite } from '../../../core/mcp/task.ts'
import { holdOf, profileOf } from '../../contracts/fresh.ts'
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
const START = 10_000
const PRICE = 100
/** Most tasks, and most calls in flight. */
const MOST = 2
/** Longer than any task runs, and than the two minutes until a sweep. */
const UNTIL_ALL_IS_OVER_MS = 900_000

const SWEEPS_MOST = 20
/** Polls of one client. */
const POLLS_MOST = 40

/** How long its upstream takes, and how long its process hangs before the first renewal of its lease. */
type Pace = { readonly runsMs: number; readonly hangsMs: number }

type Placed = {
  readonly callId: string
  readonly untilMs: number | undefined
  /** Of a task. */
  readonly hash: string
  /** Its Idempotency-Key; undefined for a call. */
  readonly claim: AnswerClaim | undefined
  /** The task is kept under its key. */
  isKept: boolean
}

export const tasks: Scenario = {
  name: 'tasks',
  async start(world) {
    const { random } = world
    const placed: Placed[] = []
    await quietly(world, async ({ profiles, sweepEntries }) => {
      await profiles.create(profileOf(UID, { credits: START }))
      await sweepEntries.writeCursor({ minute: toMinute(START_MS) - 2, after: '' })
    })
    const spreadMs = random.pick([5_000, 200_000])
    for (let callers = 3 + random.below(4); callers > 0; callers -= 1) {
      plan(world, 'a task runs', async (process) => {
        const pace = {
          runsMs: random.below(spreadMs),
          hangsMs: random.pick([0, random.below(40_000)]),
        }
        await run(process, placed, 70_000 + random.below(200_000), pace)
      })
    }
    for (let callers = 2 + random.below(4); callers > 0; callers -= 1) {
      plan(world, 'a call runs', async (process) => {
        await process.clock.sleep(random.below(spreadMs))
        await run(process, placed, undefined, { runsMs: random.below(10_000), hangsMs: 0 })
      })
    }
    for (let cancels = random.below(4); cancels > 0; cancels -= 1) {
      plan(world, 'a task is cancelled', async (process) => {
        await process.clock.sleep(random.below(spreadMs))
        const made = placed.filter(({ untilMs }) => untilMs !== undefined)
        if (made.length > 0) await cancel(process, random.pick(made))
      })
    }
    for (let reads = random.below(5); reads > 0; reads -= 1) {
      plan(world, 'a task is read', async (process) => {
        await process.clock.sleep(random.below(100_000))
        if (placed.length > 0) await poll(process, random.pick(placed), random.below(POLLS_MOST))
      })
    }
    for (let repeats = random.below(4); repeats > 0; repeats -= 1) {
      plan(world, 'a call is repeated', async (process) => {
        await process.clock.sleep(random.below(200_000))
        const keyed = placed.filter(({ claim }) => claim !== undefined)
        if (keyed.length > 0) await repeat(world, process, random.pick(keyed))
      })
    }
    for (let sweeps = 1 + random.below(4); sweeps > 0; sweeps -= 1) {
      plan(world, 'a sweep runs', async (process) => {
        await process.clock.sleep(random.below(300_000))
        await sweepHolds(flowPorts(process))
      })
    }
    planCrash(world)
    world.check = () => checkLimits(world)
    return () => checkEnd(world, placed)
  },
}

/** `lastsMs`: until the deadline of a task; undefined for a call. */
async function run(
  process: Process,
  placed: Placed[],
  lastsMs: number | undefined,
  pace: Pace,
): Promise<void> {
  const ports = flowPorts(process)
  const heldAtMs = ports.clock.nowMs()
  const callId = makeCallId(heldAtMs, ports.ids.token(16))
  const untilMs = lastsMs === undefined ? undefined : heldAtMs + lastsMs
  const writeToken = ports.ids.token(16)
  const hold = holdOf(PRICE, {
    heldAtMs,
    writeToken,
    ...(untilMs === undefined ? {} : { untilMs }),
  })
  const hash = ports.digests.sha256(ports.ids.token(32))
  const claim = untilMs === undefined ? undefined : claimOf(ports, callId, heldAtMs)
  const made: Placed = { callId, untilMs, hash, claim, isKept: false }
  if (claim !== undefined) await ports.idempotencyRecords.claim(claim)
  placed.push(made)
  await ports.sweepEntries.put({ uid: UID, minute: toMinute(sweepEntryMs(hold)) })
  const seen = await ports.profiles.read(UID)
  const request = {
    uid: UID,
    callId,
    hold,
    holdsMax: MOST,
    ...(seen === undefined ? {} : { seen }),
  }
  const held = await ports.ledger.hold(request)
  const placement = held.profile?.holds[callId]?.placement
  if (held.kind !== 'held' || placement === undefined) return
  if (untilMs === undefined) await ports.clock.sleep(pace.runsMs)
  else if (!(await workOrGiveBack(process, made, pace))) return
  const { skillId, source } = hold
  const call = { uid: UID, callId, skillId, source, skillVersion: 1, amount: PRICE, placement }
  await settleCall(
    ports,
    { ...call, createdAtMs: heldAtMs },
    { state: 'settled', upstreamStatus: 200, durationMs: ports.clock.nowMs() - heldAtMs },
  )
}

/** True if the task has ended with its result. */
async function workOrGiveBack(process: Process, made: Placed, pace: Pace): Promise<boolean> {
  const ended = await work(process, made, pace)
  if (ended === 'own' || ended === 'taken') return ended === 'own'
  const reason = ended === 'cancelled' ? ended : 'crashed'
  await voidCall(flowPorts(process), { uid: UID, callId: made.callId, reason })
  return false
}

async function work(process: Process, made: Placed, { hangsMs, runsMs }: Pace): Promise<TaskWrite> {
  const { callId, claim, hash, untilMs = 0 } = made
  const ports = flowPorts(process)
  const createdAtMs = ports.clock.nowMs()
  const worker = ports.ids.token(9)
  const aliveUntilMs = createdAtMs + TASK_LEASE_MS
  const task = { hash, uid: UID, keyHash: 'k', callId, createdAtMs, untilMs, worker, aliveUntilMs }
  await ports.tasks.create(task)
  if (claim === undefined) return 'taken'
  const keyed = keyedBy(process, claim)
  const kept = { taskId: 'id', skillId: 'sg_x', source: 'official' } as const
  if (!(await keepTask(ports, keyed, kept))) return 'over'
  made.isKept = true
  // A process that hangs for a while renews its lease too late.
  await ports.clock.sleep(hangsMs)
  const left = new AbortController()
  const leave = keepLease(ports, ports.clock, { callId, hash, worker }, () => left.abort())
  await ports.clock.sleep(runsMs, left.signal)
  leave()
  const nowMs = ports.clock.nowMs()
  const ended = await ports.tasks.end({ hash, status: 'completed', nowMs, by: { worker } })
  if (ended === 'own') await keepAnswer(ports, keyed, { ...kept, answer: ANSWER })
  return ended
}

const ASKED_ID = { taskId: 'id', unanswered: () => ({}) }
const ANSWER: ExecuteAnswer = toProblemAnswer('c', { code: 'upstream_failed', detail: '' }).answer

function claimOf(
  { digests, ids }: ReturnType<typeof flowPorts>,
  callId: string,
  claimedAtMs: number,
): AnswerClaim {
  const of = { uid: UID, sealingKeyHash: 'k', bodyHash: 'b', callId, claimedAtMs }
  return { ...of, id: digests.sha256(callId), writeToken: ids.token(9) }
}

function keyedBy({ clock }: Process, claim: AnswerClaim): KeyedCall {
  const { signal: gone } = new AbortController()
  return { claim, sealingKey: 's', waitsUntilMs: undefined, gone, alarm: clock.alarm }
}

/** Its caller never takes a task that works or has completed for a call that may run again. */
async function repeat(world: World, process: Process, { claim, hash, isKept }: Placed) {
  if (claim === undefined) return
  const ports = flowPorts(process)
  const own = { ...claim, callId: 'again', claimedAtMs: ports.clock.nowMs() }
  const keyed = keyedBy(process, { ...own, writeToken: ports.ids.token(9) })
  if ((await claimOrReplay(ports, keyed)) !== undefined) return
  const status = itemAt(world, 'sessions', taskKey(hash))?.['status']
  if (isKept && status !== 'cancelled') report(world, `runs again, and its task is ${status}`)
}

/** As `tasks/get` does it. */
async function poll(process: Process, { hash }: Placed, times: number): Promise<void> {
  const ports = flowPorts(process)
  for (let polls = 1; polls <= times; polls += 1) {
    const task = await ports.tasks.read(hash)
    if (task !== undefined)
      await endDeadTask({ ...ports, execute: voiding(process) }, task, ASKED_ID)
    await ports.clock.sleep(TASK_POLL_MS)
  }
}

function voiding(process: Process) {
  return {
    voidCall: async (call: Parameters<typeof voidCall>[1]) => {
      const voided = await voidCall(flowPorts(process), call)
      return voided.ok && voided.value.state === 'refunded' ? 'free' : 'charged'
    },
  } as const
}

async function cancel(process: Process, { callId, hash }: Placed): Promise<void> {
  const { clock, tasks } = flowPorts(process)
  const nowMs = clock.nowMs()
  const ended = await tasks.end({ hash, status: 'cancelled', nowMs, by: 'caller' })
  if (ended !== 'own') return
  await voidCall(flowPorts(process), { uid: UID, callId, reason: 'cancelled' })
}

function checkLimits(world: World): void {
  const item = itemAt(world, 'gateway', profileKey(UID))
  if (item === undefined) return
  const holds = Object.values(fromProfileItem(item).holds)
  const tasksHeld = holds.filter(isTask).length
  if (tasksHeld > MOST) report(world, `${tasksHeld} tasks, at most ${MOST}`)
  const calls = holds.length - tasksHeld
  if (calls > MOST) report(world, `${calls} calls, at most ${MOST}`)
}

async function checkEnd(world: World, placed: readonly Placed[]): Promise<void> {
  await quietly(world, async (_ports, process) => {
    await process.clock.sleep(UNTIL_ALL_IS_OVER_MS)
    // A run has time for some minutes alone when the store is slow.
    for (let runs = 1; runs <= SWEEPS_MOST; runs += 1) {
      if ((await sweepHolds(flowPorts(process))).backlogMinutes === 0) return
    }
  })
  const item = itemAt(world, 'gateway', profileKey(UID))
  if (item === undefined) {
    report(world, 'the profile is gone')
    return
  }
  const { credits, holds } = fromProfileItem(item)
  for (const callId of Object.keys(holds)) report(world, `${callId} is on hold for ever`)
  if (Object.keys(Object(item['deadlines'])).length > 0) report(world, 'a deadline has no hold')
  const outcomes = itemsIn(world, 'gateway', `ledger:${UID}`).map(fromOutcomeItem)
  const paid = outcomes.filter(({ state }) => state === 'settled')
  const sum = credits + paid.length * PRICE
  if (sum !== START) report(world, `credits + charged = ${sum}, given were ${START}`)
  for (const outcome of outcomes) {
    const task = placed.find(
      ({ callId, untilMs }) => callId === outcome.callId && untilMs !== undefined,
    )
    if (task !== undefined) checkTask(world, task, outcome)
  }
}

/** The head of a task and the outcome of its call agree. */
function checkTask(
  world: World,
  { callId, hash, isKept, untilMs = 0 }: Placed,
  { endedAtMs, reason, state }: Outcome,
): void {
  const head = itemAt(world, 'sessions', taskKey(hash))
  const status = head?.['status']
  if (isKept && reason === 'void') report(world, `${callId} was voided by a repeat`)
  if (status === 'cancelled') world.happened.add('task cancelled')
  if (status !== 'completed' && state === 'settled')
    report(world, `${callId} is ${status}, charged`)
  if (status === 'completed' && reason === 'cancelled')
    report(world, `${callId} completed, cancelled`)
  if (status === 'failed') checkFailed(world, callId, head)
  if (status === 'failed' || reason !== 'crashed') return
  world.happened.add('task died')
  if (endedAtMs <= untilMs) report(world, `${callId} was ended before its deadline`)
}

/** A reader has ended it, when its lease was over. */
function checkFailed(world: World, callId: string, head: Item | undefined): void {
  world.happened.add('task failed')
  const { aliveUntilMs, updatedAtMs } = head ?? {}
  if (Number(updatedAtMs) <= Number(aliveUntilMs)) report(world, `${callId} failed, alive`)
}

/**
 * Thirty days of tasks whose upstreams ask, one a day: answers come late, twice, or never, in processes that may
 * die, while clients poll and cancel and the next call of the user heals. A round runs once, and within its
 * hour; a hold stands as long as the task asks; and each task is charged once, or free.
 */
import { fromOutcomeItem } from '../../../adapters/dynamodb/records/outcome-item.ts'
import { fromProfileItem } from '../../../adapters/dynamodb/records/profile-item.ts'
import { profileKey, taskKey } from '../../../adapters/dynamodb/table.ts'
import { makeCallId } from '../../../core/call/call-id.ts'
import { Fault } from '../../../core/errors.ts'
import { healHolds, keepHoldsOfJobs } from '../../../core/flow/execute/heal-holds.ts'
import { prolongHold } from '../../../core/flow/execute/hold-credits.ts'
import { settleCall } from '../../../core/flow/execute/settle-call.ts'
import { voidCall } from '../../../core/flow/execute/void-call.ts'
import { keepLease } from '../../../core/flow/streamable-http/task-lease.ts'
import { endDeadTask } from '../../../core/flow/tools/end-dead-task.ts'
import {
  addAnswers,
  listOpen,
  makeQuestions,
  openQuestions,
  sealQuestions,
} from '../../../core/flow/tools/task-questions.ts'
import { DAY_MS } from '../../../core/json/utc-time.ts'
import type { Outcome } from '../../../core/ledger/ledger.ts'
import { TASK_ASK_MS, TASK_LEASE_MS, type TaskWrite } from '../../../core/mcp/task.ts'
import { holdOf, profileOf } from '../../contracts/fresh.ts'
import { flowPorts } from '../outside.ts'
import type { Scenario } from '../scenario.ts'
import {
  itemAt,
  itemsIn,
  type Process,
  quietly,
  report,
  startProcess,
  type World,
} from '../world.ts'

const UID = 'u1'
const [START, PRICE] = [10_000, 100]
const DAYS = 30
const TASK_ID = 'id'
/** Longer than a task that asks once can last. */
const DAY_IS_OVER_MS = 10_000_000
const YES = { a: { action: 'accept' }, b: { action: 'decline' } }

type Made = {
  readonly hash: string
  readonly callId: string
  readonly untilMs: number
  placement: number
  askedUntilMs: number
  /** How often its second round ran. */
  runs: number
}

export const askingTasks: Scenario = {
  name: 'tasks that ask',
  async start(world) {
    const { random } = world
    const all: Made[] = []
    await quietly(world, async ({ profiles }) => {
      await profiles.create(profileOf(UID, { credits: START }))
    })
    for (let day = 0; day < DAYS; day += 1) {
      const at = (label: string, afterMs: number, run: (process: Process) => Promise<void>) => {
        const due = world.scheduler.sleep(day * DAY_MS + afterMs, { alive: true })
        const work = due.then(() => {
          world.note(`day ${day}: ${label}`)
          return run(random.pick(world.processes.filter(({ alive }) => alive)))
        })
        // A store that does not answer ends the work, as it does in an invocation.
        void work.catch((cause: unknown) => {
          if (cause instanceof Fault && cause.code === 'store_unavailable') return
          report(world, `${label} threw ${String(cause)}`)
        })
      }
      const ofDay: Made[] = []
      const runsMs = random.below(60_000)
      at('a task', 0, (process) => begin(process, ofDay, all, runsMs))
      // Most come twice within seconds, and some at the end of the hour.
      const answeredMs = random.pick([random.below(TASK_ASK_MS), runsMs + TASK_ASK_MS])
      for (let updates = 1 + random.below(3); updates > 0; updates -= 1) {
        at('an update', answeredMs + random.below(10_000), (process) =>
          update(world, process, ofDay[0], random.below(100_000)),
        )
      }
      if (random.chance(0.3)) {
        const cancelledMs = random.pick([random.below(TASK_ASK_MS), answeredMs + 30_000])
        at('a cancellation', cancelledMs, (process) => cancel(process, ofDay[0]))
      }
      at('a call in between', random.below(TASK_ASK_MS), heal)
      at('a read', random.below(2 * TASK_ASK_MS), (process) => read(process, ofDay[0]))
      at('the next call', DAY_IS_OVER_MS, heal)
      if (random.chance(0.3)) {
        at('a death', random.below(120_000), async (process) => {
          process.alive = false
          world.happened.add('crash')
          startProcess(world)
        })
      }
    }
    return () => checkEnd(world, all)
  },
}

async function begin(process: Process, ofDay: Made[], all: Made[], runsMs: number): Promise<void> {
  const { clock, digests, ids, ledger, tasks } = flowPorts(process)
  const nowMs = clock.nowMs()
  const callId = makeCallId(nowMs, ids.token(16))
  const untilMs = nowMs + 200_000
  const hold = holdOf(PRICE, { heldAtMs: nowMs, untilMs, writeToken: ids.token(9) })
  const hash = digests.sha256(callId)
  const made: Made = { hash, callId, untilMs, placement: 0, askedUntilMs: 0, runs: 0 }
  all.push(made)
  const held = await ledger.hold({ uid: UID, callId, hold, holdsMax: 8 })
  made.placement = held.profile?.holds[callId]?.placement ?? 0
  const worker = ids.token(9)
  const of = { hash, uid: UID, keyHash: 'k', callId, createdAtMs: nowMs, untilMs, worker }
  await tasks.create({ ...of, aliveUntilMs: nowMs + TASK_LEASE_MS })
  ofDay.push(made)
  await work(process, made, worker, runsMs)
  const found = await ask(process, made, worker)
  if (found === 'over' || found === 'cancelled') await giveBack(process, made, found)
}

async function work(process: Process, { callId, hash }: Made, worker: string, runsMs: number) {
  const ports = flowPorts(process)
  const left = new AbortController()
  const leave = keepLease(ports, ports.clock, { callId, hash, worker }, () => left.abort())
  await ports.clock.sleep(runsMs, left.signal)
  leave()
}

async function ask(process: Process, made: Made, worker: string): Promise<TaskWrite> {
  const ports = flowPorts(process)
  const { callId, hash, placement } = made
  const nowMs = ports.clock.nowMs()
  const aliveUntilMs = nowMs + TASK_ASK_MS
  const of = { uid: UID, callId, placement, untilMs: aliveUntilMs + 30_000 }
  if ((await prolongHold(ports, of)) === undefined) return 'over'
  const call = { name: 'sg_x', arguments: {}, capabilities: undefined, state: undefined }
  const sealed = sealQuestions(ports, TASK_ID, makeQuestions(call, { a: {}, b: {} }, 1))
  const found = await ports.tasks.ask({ hash, worker, nowMs, aliveUntilMs, sealed })
  if (found === 'own') made.askedUntilMs = aliveUntilMs
  return found
}

/** In two parts, each until it is kept, as core/flow/streamable-http/update-task.ts keeps them. */
async function update(world: World, process: Process, made: Made | undefined, runsMs: number) {
  if (made === undefined) return
  for (const key of ['a', 'b'] as const) {
    for (let tries = 1; tries <= 4; tries += 1) {
      const kept = await keep(world, process, made, key)
      if (kept === 'kept') break
      if (kept !== 'changed') return goOn(process, made, kept.worker, runsMs)
    }
  }
}

async function keep(
  world: World,
  process: Process,
  made: Made,
  key: 'a' | 'b',
): Promise<'kept' | 'changed' | { worker: string }> {
  const ports = flowPorts(process)
  const task = await ports.tasks.read(made.hash)
  const asked = task && openQuestions(ports, TASK_ID, task)
  const questions = asked && addAnswers(asked, { [`${key}~1`]: YES[key] })
  if (task === undefined || questions === undefined) return 'kept'
  const nowMs = ports.clock.nowMs()
  const of = { hash: made.hash, over: task.writer, nowMs }
  if (Object.keys(listOpen(questions)).length > 0) {
    const sealed = sealQuestions(ports, TASK_ID, questions)
    return (await ports.tasks.answer({ ...of, sealed })) ? 'kept' : 'changed'
  }
  const worker = ports.ids.token(9)
  const claim = { ...of, worker, aliveUntilMs: nowMs + TASK_LEASE_MS }
  if (!(await ports.tasks.claim(claim))) return 'changed'
  made.runs += 1
  if (made.runs > 1) report(world, `${made.callId}: a round ran twice`)
  if (nowMs > task.aliveUntilMs) report(world, `${made.callId}: a round ran behind its hour`)
  return { worker }
}

async function goOn(process: Process, made: Made, worker: string, runsMs: number): Promise<void> {
  const ports = flowPorts(process)
  const { callId, hash, placement } = made
  const nowMs = ports.clock.nowMs()
  const of = { uid: UID, callId, placement, untilMs: nowMs + 200_000 }
  if ((await prolongHold(ports, of)) === undefined) return
  await work(process, made, worker, runsMs)
  const endMs = ports.clock.nowMs()
  const found = await ports.tasks.end({ hash, status: 'completed', nowMs: endMs, by: { worker } })
  if (found === 'over' || found === 'cancelled') return giveBack(process, made, found)
  if (found === 'taken') return
  const skill = { skillId: 'sg_weather', source: 'official', skillVersion: 1 } as const
  const call = { uid: UID, callId, ...skill, amount: PRICE, placement, createdAtMs: nowMs }
  const end = { state: 'settled', upstreamStatus: 200, durationMs: 1 } as const
  await settleCall(ports, call, end)
}

async function giveBack(process: Process, { callId }: Made, found: 'over' | 'cancelled') {
  const reason = found === 'over' ? 'crashed' : found
  await voidCall(flowPorts(process), { uid: UID, callId, reason })
}

async function cancel(process: Process, made: Made | undefined): Promise<void> {
  if (made === undefined) return
  const { clock, tasks } = flowPorts(process)
  const of = { hash: made.hash, nowMs: clock.nowMs(), by: 'caller' } as const
  if ((await tasks.end({ ...of, status: 'cancelled' })) === 'own') {
    await giveBack(process, made, 'cancelled')
  }
}

async function read(process: Process, made: Made | undefined): Promise<void> {
  const ports = flowPorts(process)
  const task = made && (await ports.tasks.read(made.hash))
  if (task === undefined) return
  const execute = {
    voidCall: async (call: Parameters<typeof voidCall>[1]) => {
      await voidCall(ports, call)
      return 'free' as const
    },
  }
  await endDeadTask({ ...ports, execute }, task, { taskId: TASK_ID, unanswered: () => ({}) })
}

/** As the next call of the user does it, before its own hold. */
async function heal(process: Process): Promise<void> {
  const ports = flowPorts(process)
  const profile = await ports.profiles.read(UID)
  if (profile !== undefined) await healHolds(ports, profile, keepHoldsOfJobs(ports))
}

async function checkEnd(world: World, all: readonly Made[]): Promise<void> {
  await quietly(world, async (_ports, process) => {
    await process.clock.sleep(DAY_IS_OVER_MS)
    await heal(process)
  })
  const { credits, holds } = fromProfileItem(itemAt(world, 'gateway', profileKey(UID)) ?? {})
  for (const callId of Object.keys(holds)) report(world, `${callId} is on hold for ever`)
  const outcomes = itemsIn(world, 'gateway', `ledger:${UID}`).map(fromOutcomeItem)
  const paid = outcomes.filter(({ state }) => state === 'settled')
  const sum = credits + paid.length * PRICE
  if (sum !== START) report(world, `credits + charged = ${sum}, given were ${START}`)
  for (const outcome of outcomes) {
    const made = all.find(({ callId }) => callId === outcome.callId)
    if (made !== undefined) checkTask(world, made, outcome)
  }
}

/** The head of a task and the outcome of its call agree. */
function checkTask(world: World, { askedUntilMs, callId, hash }: Made, outcome: Outcome): void {
  const status = itemAt(world, 'sessions', taskKey(hash))?.['status']
  const { endedAtMs, reason, state } = outcome
  if (state === 'settled') world.happened.add('task charged')
  if (status !== 'completed' && state === 'settled')
    report(world, `${callId} is ${status}, charged`)
  if (status === 'completed' && reason === 'cancelled')
    report(world, `${callId} completed, cancelled`)
  const wasOpen = status === 'input_required' || status === 'completed'
  if (wasOpen && reason === 'crashed' && endedAtMs <= askedUntilMs) {
    report(world, `${callId} was given back while it asked`)
  }
}

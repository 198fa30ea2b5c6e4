/**
 * Makes plans of imports and of sets, each in a thread with limits of time and memory, so that no
 * plan delays other requests or ends the process. A thread that is stopped has written nothing:
 * only the door's thread writes.
 *
 *   wait for a slot ─▶ a thread ─▶ plan ─▶ (apply: put, plan again, …) ─▶ keep or end the thread ─▶ free the slot
 *
 * Two plans at once share nothing. A request whose client has disconnected keeps its slot until its
 * plan is made or stopped. A thread is kept for the next request, unless it was stopped or had a
 * long text to read: its heap would stay large.
 */
import type { Worker } from 'node:worker_threads'
import { type Result, refuse } from '../../../core/errors.ts'
import type { Planner } from '../../../core/flow/imports/planner.ts'
import type { Clock } from '../../../core/ports/outside.ts'
import type { Ports } from '../../../core/ports/ports.ts'
import {
  PLAN_CPU_CHECK_MS,
  PLAN_CPU_MS_MAX,
  PLAN_MEMORY_MB_MAX,
  PLAN_MS_MAX,
} from './plan-limits.ts'
import type { FromThread, PlanByKind, PlanJob, ToThread } from './plan-messages.ts'
import { createPlanSlots } from './plan-slots.ts'

export type ThreadPlanner<P> = Planner<P> & {
  /** Makes the plan in the form that administrators read. */
  show(): Promise<Result<object>>
}

export type PlanThreads = {
  /**
   * Runs `work` with a planner for the job. Refuses with `too_many_plans` if no slot becomes free,
   * and with the refusal of the plan.
   */
  use<J extends PlanJob, T>(
    job: J,
    work: (planner: ThreadPlanner<PlanByKind[J['kind']]>) => Promise<Result<T>>,
  ): Promise<Result<T>>
}

type Needs = { readonly clock: Clock; readonly skills: Pick<Ports['skills'], 'list'> }

/** The slots of the process, shared by all its doors. */
const PLAN_SLOTS = createPlanSlots()
let idle: Worker | undefined

export function createPlanThreads(ports: Needs): PlanThreads {
  return {
    use: async (job, work) => {
      const slot = await PLAN_SLOTS.take(ports.clock)
      if (!slot.ok) return slot
      try {
        return await withThread(ports, job, work)
      } finally {
        slot.value()
      }
    },
  }
}

async function withThread<J extends PlanJob, T>(
  ports: Needs,
  job: J,
  work: (planner: ThreadPlanner<PlanByKind[J['kind']]>) => Promise<Result<T>>,
): Promise<Result<T>> {
  const kept = idle
  idle = undefined
  const worker = kept ?? (await startThread())
  worker.ref()
  // Not awaited here: a thread that ends meanwhile may never answer.
  const stopAtCpuMs = readCpuMs(worker).then((usedMs) => usedMs + PLAN_CPU_MS_MAX)
  const state: ThreadState = { worker, stopAtCpuMs, isWhole: true }
  worker.postMessage({ kind: 'job', job } satisfies ToThread)
  try {
    return await work(createPlanner(ports, state))
  } finally {
    await (state.isWhole && countChars(job) <= KEPT_CHARS_MAX
      ? keepThread(worker)
      : endThread(worker))
  }
}

async function startThread(): Promise<Worker> {
  // Loaded with the first plan, because other requests do not need it.
  const { startPlanThread } = await import('./plan-thread.ts')
  const worker = startPlanThread()
  // The code that waits for a plan listens for errors itself. Errors of an idle thread, or of one
  // that is being ended, are ignored.
  return worker
    .on('error', () => {})
    .once('exit', () => {
      if (idle === worker) idle = undefined
    })
}

/** Keeps the thread for the next request; an idle thread does not keep the process alive. */
async function keepThread(worker: Worker): Promise<void> {
  if (idle !== undefined) return endThread(worker)
  idle = worker
  worker.unref()
}

/**
 * Longest text after which a thread is kept, in UTF-16 units. A thread that read a longer text is
 * ended.
 */
const KEPT_CHARS_MAX = 100_000

/**
 * Returns the length of the text. A document that was sent as an object is treated as too long,
 * because measuring it would take as long as sending it.
 */
function countChars({ kind, request }: PlanJob): number {
  const text = kind === 'set' ? request.text : request.document
  return typeof text === 'string' ? text.length : Number.POSITIVE_INFINITY
}

async function endThread(worker: Worker): Promise<void> {
  await worker.terminate()
}

/**
 * Returns the processor time of the thread since its start, in ms. Node tells it since 24.6; before,
 * and for a thread that has ended, it is 0.
 */
async function readCpuMs(worker: Worker): Promise<number> {
  try {
    const { system, user } = await worker.cpuUsage()
    return (user + system) / 1_000
  } catch {
    return 0
  }
}

/**
 * Calls `stop` once the thread has used more processor time than its request may, unless the
 * returned function is called before.
 */
function watchComputing(
  clock: Clock,
  { stopAtCpuMs, worker }: ThreadState,
  stop: () => void,
): () => void {
  let isWatching = true
  let stopAlarm = () => {}
  const checkLater = () => {
    stopAlarm = clock.alarm(PLAN_CPU_CHECK_MS, async () => {
      const isOver = (await readCpuMs(worker)) > (await stopAtCpuMs)
      if (!isWatching) return
      if (isOver) stop()
      else checkLater()
    })
  }
  checkLater()
  return () => {
    isWatching = false
    stopAlarm()
  }
}

type ThreadState = {
  readonly worker: Worker
  /** Processor time of the thread at which the request has used up its share. */
  readonly stopAtCpuMs: Promise<number>
  /** False while a plan is being made, and after a plan that failed. */
  isWhole: boolean
}

function createPlanner<P>(ports: Needs, state: ThreadState): ThreadPlanner<P> {
  const requestPlan = (as: 'plan' | 'view') => {
    state.isWhole = false
    return awaitPlan(ports, state, as)
  }
  // The thread returns the kind of plan that it was asked for.
  return { plan: () => requestPlan('plan') as Promise<Result<P>>, show: () => requestPlan('view') }
}

/**
 * Requests one plan from the thread, and meanwhile sends it the pages of stored skills that it
 * needs.
 */
function awaitPlan(
  { clock, skills }: Needs,
  state: ThreadState,
  as: 'plan' | 'view',
): Promise<Result<object>> {
  const { worker } = state
  return new Promise((resolve, reject) => {
    const post = (message: ToThread) => worker.postMessage(message)
    const stopListening = () => {
      stopAlarm()
      stopWatch()
      worker.off('message', onMessage).off('error', fail).off('exit', onExit)
    }
    const finish = (result: Result<object>) => {
      stopListening()
      resolve(result)
    }
    const fail = (cause: unknown) => {
      stopListening()
      if (isOutOfMemory(cause)) resolve(TOO_MUCH_MEMORY)
      else reject(cause)
    }
    const onExit = () => finish(TOO_MUCH_MEMORY)
    const onMessage = (message: FromThread) => {
      if (message.kind === 'planned') {
        state.isWhole = true
        return finish(message.result)
      }
      skills.list(message.query).then((page) => post({ kind: 'page', page }), fail)
    }
    const stopAlarm = clock.alarm(PLAN_MS_MAX, () => finish(TOO_SLOW))
    const stopWatch = watchComputing(clock, state, () => finish(TOO_MUCH_COMPUTING))
    worker.on('message', onMessage).on('error', fail).on('exit', onExit)
    post({ kind: 'plan', as })
  })
}

/**
 * Tells whether the thread ran out of memory or stack, or made a text or a list that is longer than
 * V8 allows.
 */
function isOutOfMemory(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false
  return cause.name === 'RangeError' || ('code' in cause && cause.code === OUT_OF_MEMORY)
}

const OUT_OF_MEMORY = 'ERR_WORKER_OUT_OF_MEMORY'
const REMEDY =
  'Nothing was changed by this plan. Send a part of it: fewer operations, skills or actions.'

const TOO_MUCH_COMPUTING = refuse(
  'too_large',
  `body: takes over ${PLAN_CPU_MS_MAX / 1_000} s of computing to plan. ${REMEDY}`,
)
const TOO_SLOW = refuse('too_large', `body: takes over ${PLAN_MS_MAX / 1_000} s to plan. ${REMEDY}`)
const TOO_MUCH_MEMORY = refuse(
  'too_large',
  `body: takes over ${PLAN_MEMORY_MB_MAX} MB of memory to plan. ${REMEDY}`,
)

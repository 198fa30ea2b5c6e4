/**
 * Plans of imports and of sets, each in a thread with a limit of time and of memory, so that none holds up other requests
 * or ends the process. A thread that is stopped has written nothing: only the door's thread writes.
 *
 *   wait for a place ─▶ a thread ─▶ plan ─▶ (apply: put, plan again, …) ─▶ keep or end the thread ─▶ free the place
 *
 * Two plans at once share nothing. A request whose client has gone keeps its place until its plan is made or cut. A thread
 * is kept for the next request, unless it was cut or had much to read: its heap would stay.
 */
import type { Worker } from 'node:worker_threads'
import { type Result, refuse } from '../../../core/errors.ts'
import type { Planner } from '../../../core/flow/imports/planner.ts'
import type { Clock } from '../../../core/ports/outside.ts'
import type { Ports } from '../../../core/ports/ports.ts'
import { PLAN_MEMORY_MB_MAX, PLAN_MS_MAX } from './plan-limits.ts'
import type { FromThread, PlanJob, PlanOf, ToThread } from './plan-messages.ts'
import { planPlaces } from './plan-places.ts'

export type ThreadPlanner<P> = Planner<P> & {
  /** The plan as administrators read it. */
  show(): Promise<Result<object>>
}

export type PlanThreads = {
  /** Refuses with `too_many_plans` when no place gets free, and as the plan is refused. */
  use<J extends PlanJob, T>(
    job: J,
    work: (planner: ThreadPlanner<PlanOf[J['kind']]>) => Promise<Result<T>>,
  ): Promise<Result<T>>
}

type Needs = { readonly clock: Clock; readonly skills: Pick<Ports['skills'], 'list'> }

/** Of the process, however many doors it has. */
const PLACES = planPlaces()
let idle: Worker | undefined

export function planThreads(ports: Needs): PlanThreads {
  return {
    use: async (job, work) => {
      const place = await PLACES.take(ports.clock)
      if (!place.ok) return place
      try {
        return await withThread(ports, job, work)
      } finally {
        place.value()
      }
    },
  }
}

async function withThread<J extends PlanJob, T>(
  ports: Needs,
  job: J,
  work: (planner: ThreadPlanner<PlanOf[J['kind']]>) => Promise<Result<T>>,
): Promise<Result<T>> {
  const kept = idle
  idle = undefined
  const worker = kept ?? (await newThread())
  worker.ref()
  const state: ThreadState = { worker, isWhole: true, leftMs: PLAN_MS_MAX }
  worker.postMessage({ kind: 'job', job } satisfies ToThread)
  try {
    return await work(plannerOf(ports, state))
  } finally {
    await (state.isWhole && charactersOf(job) <= KEPT_CHARS_MAX ? keep(worker) : end(worker))
  }
}

async function newThread(): Promise<Worker> {
  // Loaded with the first plan: other requests need none of it.
  const { startPlanThread } = await import('./plan-thread.ts')
  const worker = startPlanThread()
  // Whoever waits for the thread hears of its errors; those of an idle one, or of one that is being ended, are none.
  return worker
    .on('error', () => {})
    .once('exit', () => {
      if (idle === worker) idle = undefined
    })
}

/** Does not keep the process alive. */
async function keep(worker: Worker): Promise<void> {
  if (idle !== undefined) return end(worker)
  idle = worker
  worker.unref()
}

/** A thread that had a longer request is ended. */
const KEPT_CHARS_MAX = 100_000

/** A document that came as an object counts as long: to measure it would take as long as to send it. */
function charactersOf({ kind, request }: PlanJob): number {
  const text = kind === 'set' ? request.text : request.document
  return typeof text === 'string' ? text.length : Number.POSITIVE_INFINITY
}

async function end(worker: Worker): Promise<void> {
  await worker.terminate()
}

/** `isWhole`: false while a plan is made, and after one that failed. */
type ThreadState = { readonly worker: Worker; isWhole: boolean; leftMs: number }

function plannerOf<P>(ports: Needs, state: ThreadState): ThreadPlanner<P> {
  const ask = async (as: 'plan' | 'view') => {
    const startedMs = ports.clock.nowMs()
    state.isWhole = false
    const result = await answerOf(ports, state, as)
    state.leftMs -= ports.clock.nowMs() - startedMs
    return result
  }
  // The thread answers with what was asked for.
  return { plan: () => ask('plan') as Promise<Result<P>>, show: () => ask('view') }
}

/** One question to the thread, with the pages of stored skills that it needs meanwhile. */
function answerOf(
  { clock, skills }: Needs,
  state: ThreadState,
  as: 'plan' | 'view',
): Promise<Result<object>> {
  const { worker } = state
  return new Promise((resolve, reject) => {
    const tell = (message: ToThread) => worker.postMessage(message)
    const leave = () => {
      stopAlarm()
      worker.off('message', hear).off('error', fail).off('exit', gone)
    }
    const finish = (result: Result<object>) => {
      leave()
      resolve(result)
    }
    const fail = (cause: unknown) => {
      leave()
      if (isTooMuch(cause)) resolve(TOO_MUCH_MEMORY)
      else reject(cause)
    }
    const gone = () => finish(TOO_MUCH_MEMORY)
    const hear = (message: FromThread) => {
      if (message.kind === 'planned') {
        state.isWhole = true
        return finish(message.result)
      }
      skills.list(message.query).then((page) => tell({ kind: 'page', page }), fail)
    }
    const stopAlarm = clock.alarm(Math.max(0, state.leftMs), () => finish(TOO_SLOW))
    worker.on('message', hear).on('error', fail).on('exit', gone)
    tell({ kind: 'plan', as })
  })
}

/** Out of memory, a full stack, or a text or a list that is longer than V8 allows. */
function isTooMuch(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false
  return cause.name === 'RangeError' || ('code' in cause && cause.code === OUT_OF_MEMORY)
}

const OUT_OF_MEMORY = 'ERR_WORKER_OUT_OF_MEMORY'
const REMEDY =
  'Nothing was changed by this plan. Send a part of it: fewer operations, skills or actions.'

const TOO_SLOW = refuse('too_large', `body: takes over ${PLAN_MS_MAX / 1_000} s to plan. ${REMEDY}`)
const TOO_MUCH_MEMORY = refuse(
  'too_large',
  `body: takes over ${PLAN_MEMORY_MB_MAX} MB of memory to plan. ${REMEDY}`,
)

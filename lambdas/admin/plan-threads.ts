/**
 * Plans of imports and of sets, each in a thread of its own with a limit of time and of memory, so that none holds up
 * other requests or ends the process. A thread that is stopped has written nothing: only the door's thread writes.
 *
 *   wait for a place ─▶ start a thread ─▶ plan ─▶ (apply: put, plan again, …) ─▶ end the thread ─▶ free the place
 *
 * Two plans at once share nothing. A request whose client has gone keeps its place until its plan is made or cut.
 */
import type { Worker } from 'node:worker_threads'
import { type Result, refuse } from '../../core/errors.ts'
import type { Planner } from '../../core/flow/imports/planner.ts'
import type { Clock, Ports } from '../../core/ports.ts'
import { PLAN_MEMORY_MB_MAX, PLAN_MS_MAX } from './plan-limits.ts'
import { planPlaces } from './plan-places.ts'
import type { FromThread, PlanJob, PlanOf, ToThread } from './plan-thread.ts'

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

export function planThreads(ports: Needs): PlanThreads {
  const places = planPlaces(ports.clock)
  return {
    use: async (job, work) => {
      const place = await places.take()
      if (!place.ok) return place
      // Loaded with the first plan: other requests need none of it.
      const { startPlanThread } = await import('./plan-thread.ts')
      const worker = startPlanThread(job)
      try {
        return await work(plannerOf(ports, worker))
      } finally {
        await worker.terminate()
        place.value()
      }
    },
  }
}

function plannerOf<P>(ports: Needs, worker: Worker): ThreadPlanner<P> {
  let leftMs = PLAN_MS_MAX
  const ask = async (as: 'plan' | 'view') => {
    const startedMs = ports.clock.nowMs()
    const result = await answerOf(ports, worker, as, leftMs)
    leftMs -= ports.clock.nowMs() - startedMs
    return result
  }
  // The thread answers with what was asked for.
  return { plan: () => ask('plan') as Promise<Result<P>>, show: () => ask('view') }
}

/** One question to the thread, with the pages of stored skills that it needs meanwhile. */
function answerOf(
  { clock, skills }: Needs,
  worker: Worker,
  as: 'plan' | 'view',
  leftMs: number,
): Promise<Result<object>> {
  return new Promise((resolve, reject) => {
    const tell = (message: ToThread) => worker.postMessage(message)
    const leave = () => {
      stopAlarm()
      worker.off('message', hear).off('error', fail).off('exit', gone)
      // An error of a thread that is being ended would otherwise be uncaught.
      worker.on('error', () => {})
    }
    const end = (result: Result<object>) => {
      leave()
      resolve(result)
    }
    const fail = (cause: unknown) => {
      leave()
      if (isTooMuch(cause)) resolve(TOO_MUCH_MEMORY)
      else reject(cause)
    }
    const gone = () => end(TOO_MUCH_MEMORY)
    const hear = (message: FromThread) => {
      if (message.kind === 'planned') return end(message.result)
      skills.list(message.query).then((page) => tell({ kind: 'page', page }), fail)
    }
    const stopAlarm = clock.alarm(Math.max(0, leftMs), () => end(TOO_SLOW))
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
const REMEDY = 'Nothing was changed by this plan. Send a part of it: fewer operations, skills or actions.'

const TOO_SLOW = refuse(
  'too_large',
  `body: takes over ${PLAN_MS_MAX / 1_000} s to plan. ${REMEDY}`,
)
const TOO_MUCH_MEMORY = refuse(
  'too_large',
  `body: takes over ${PLAN_MEMORY_MB_MAX} MB of memory to plan. ${REMEDY}`,
)

/**
 * Both sides of a thread that makes plans: the door starts it, and the same file, started as a thread, serves one
 * request after the other. So a bundle need not keep the name of another file. Reads no store: the starter answers for it.
 */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import type { Result } from '../../core/errors.ts'
import type { ImportRequest } from '../../core/flow/imports/import-request.ts'
import type { ImportPlan } from '../../core/flow/imports/plan-import.ts'
import type { SetPlan } from '../../core/flow/imports/plan-set.ts'
import type { SetRequest } from '../../core/flow/imports/set-request.ts'
import type { Ports } from '../../core/ports.ts'
import type { Settings } from '../../core/settings.ts'
import { PLAN_MEMORY_MB_MAX } from './plan-limits.ts'

/** What is to be planned. */
export type PlanJob = { readonly settings: Settings } & (
  | { readonly kind: 'import'; readonly request: ImportRequest }
  | { readonly kind: 'set'; readonly request: SetRequest }
)

export type PlanOf = { readonly import: ImportPlan; readonly set: SetPlan }

type SkillQuery = Parameters<Ports['skills']['list']>[0]
type SkillPage = Awaited<ReturnType<Ports['skills']['list']>>

export type ToThread =
  /** The next request. What is left of the one before is forgotten. */
  | { readonly kind: 'job'; readonly job: PlanJob }
  /** Make the plan, of what is stored now. `view`: as administrators read it, without definitions. */
  | { readonly kind: 'plan'; readonly as: 'plan' | 'view' }
  | { readonly kind: 'page'; readonly page: SkillPage }

export type FromThread =
  | { readonly kind: 'planned'; readonly result: Result<object> }
  /** A page of stored skills, please. There is one question at a time. */
  | { readonly kind: 'list'; readonly query: SkillQuery }

const ROLE = 'skillgate-plan'

/** Young: V8's default for a small heap. Stack: documents nest 100 levels, and their parsers recurse. */
const MEMORY = {
  maxOldGenerationSizeMb: PLAN_MEMORY_MB_MAX,
  maxYoungGenerationSizeMb: 16,
  stackSizeMb: 4,
}

/** Starts it without an environment: the thread needs no variable of ours. */
export function startPlanThread(): Worker {
  // Flags of the process, which Lambda sets and `npm start`, would hold in place of these limits. They are read when a
  // heap is made, so only threads after this have none.
  const { setFlagsFromString } = process.getBuiltinModule('node:v8')
  setFlagsFromString('--max-old-space-size=0')
  setFlagsFromString('--max-semi-space-size=0')
  const options = { workerData: ROLE, env: {}, execArgv: [], resourceLimits: MEMORY }
  return new Worker(new URL(import.meta.url), options)
}

if (!isMainThread && parentPort !== null && workerData === ROLE) {
  const { serveJobs } = await import('./plan-work.ts')
  serveJobs(parentPort)
}

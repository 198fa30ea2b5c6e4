/** The messages between the door and a thread that makes plans (plan-threads.ts, plan-work.ts). */
import type { Result } from '../../../core/errors.ts'
import type { ImportRequest } from '../../../core/flow/imports/import-request.ts'
import type { ImportPlan } from '../../../core/flow/imports/plan-import.ts'
import type { SetPlan } from '../../../core/flow/imports/plan-set.ts'
import type { SetRequest } from '../../../core/flow/imports/set-request.ts'
import type { Ports } from '../../../core/ports/ports.ts'
import type { Settings } from '../../../core/settings.ts'

/** A request for a plan. */
export type PlanJob = { readonly settings: Settings } & (
  | { readonly kind: 'import'; readonly request: ImportRequest }
  | { readonly kind: 'set'; readonly request: SetRequest }
)

export type PlanByKind = { readonly import: ImportPlan; readonly set: SetPlan }

type SkillQuery = Parameters<Ports['skills']['list']>[0]
type SkillPage = Awaited<ReturnType<Ports['skills']['list']>>

export type ToThread =
  /** Starts the next request; the thread drops the rest of the previous one. */
  | { readonly kind: 'job'; readonly job: PlanJob }
  /**
   * Makes the plan from the skills that are stored now. `view` is the form that administrators
   * read, without definitions.
   */
  | { readonly kind: 'plan'; readonly as: 'plan' | 'view' }
  | { readonly kind: 'page'; readonly page: SkillPage }

export type FromThread =
  | { readonly kind: 'planned'; readonly result: Result<object> }
  /** Requests a page of stored skills. Only one such request is open at a time. */
  | { readonly kind: 'list'; readonly query: SkillQuery }

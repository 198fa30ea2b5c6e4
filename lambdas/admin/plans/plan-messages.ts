/** What the door and a thread of plans tell each other (plan-threads.ts, plan-work.ts). */
import type { Result } from '../../../core/errors.ts'
import type { ImportRequest } from '../../../core/flow/imports/import-request.ts'
import type { ImportPlan } from '../../../core/flow/imports/plan-import.ts'
import type { SetPlan } from '../../../core/flow/imports/plan-set.ts'
import type { SetRequest } from '../../../core/flow/imports/set-request.ts'
import type { Ports } from '../../../core/ports/ports.ts'
import type { Settings } from '../../../core/settings.ts'

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

/**
 * POST skills:apply: stores a set of skills, then makes the tool list once (apply-plan.ts). Removes
 * skills that are no longer in the set only if the request says `prune`.
 */
import type { Result } from '../../errors.ts'
import type { Settings } from '../../settings.ts'
import { type ApplyPlanNeeds, type ApplyTerms, applyPlan } from './apply-plan.ts'
import { makeSetPlanner, type PlanSetNeeds, type SetPlan } from './plan-set.ts'
import type { SetRequest } from './set-request.ts'

export type AppliedSet = { readonly plan: SetPlan; readonly tools: number | undefined }

/**
 * `by` is the name of the administrator. Without a `planner`, plans are made in this thread.
 * Refuses a set that cannot be planned, or with `conflict` if other writers win every try.
 */
export function applySet(
  ports: ApplyPlanNeeds & PlanSetNeeds,
  settings: Settings,
  request: SetRequest,
  { by, planner = makeSetPlanner(ports, settings, request) }: ApplyTerms<SetPlan> = {},
): Promise<Result<AppliedSet>> {
  return applyPlan(ports, settings, {
    source: request.source,
    origin: 'set',
    by,
    deletesDisabled: request.prune,
    plan: () => planner.plan(),
  })
}

/** POST skills:apply: puts a set of skills, then makes the tool list once; prunes only when asked (apply-plan.ts). */
import type { Result } from '../../errors.ts'
import type { Settings } from '../../settings.ts'
import { type ApplyPlanNeeds, applyPlan } from './apply-plan.ts'
import { compareSet, type PlanSetNeeds, type SetPlan } from './plan-set.ts'
import { readSetSkills, type SetRequest } from './set-request.ts'

export type AppliedSet = { readonly plan: SetPlan; readonly tools: number | undefined }

/** `by` is the administrator who asks. */
export async function applySet(
  ports: PlanSetNeeds & ApplyPlanNeeds,
  settings: Settings,
  request: SetRequest,
  by?: string,
): Promise<Result<AppliedSet>> {
  const skills = await readSetSkills(ports, settings, request)
  if (!skills.ok) return skills
  return applyPlan(ports, settings, {
    source: request.source,
    origin: 'set',
    by,
    deletesDisabled: request.prune,
    plan: (first) => compareSet(ports, settings, request, { sent: skills.value, first }),
  })
}

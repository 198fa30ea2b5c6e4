/**
 * POST imports/openapi:apply: stores the skills that an OpenAPI document makes, then makes the tool
 * list once (apply-plan.ts). Refuses a document that breaks tools of agents, unless the request
 * allows it.
 */
import { ok, type Result, refuse } from '../../errors.ts'
import type { Settings } from '../../settings.ts'
import { type ApplyPlanNeeds, type ApplyTerms, applyPlan } from './apply-plan.ts'
import type { ImportRequest } from './import-request.ts'
import { type ImportPlan, makeImportPlanner, type PlanNeeds } from './plan-import.ts'
import { findYoungestMs, type PlannedSkill } from './planned-skill.ts'

export type AppliedImport = { readonly plan: ImportPlan; readonly tools: number | undefined }

/** Breaking changes that a refusal names. */
const BREAKING_SHOWN_MAX = 20

/**
 * `by` is the name of the administrator. Without a `planner`, plans are made in this thread.
 * Refuses with `conflict` a breaking document, or if other writers win every try.
 */
export function applyImport(
  ports: ApplyPlanNeeds & PlanNeeds,
  settings: Settings,
  request: ImportRequest,
  { by, planner = makeImportPlanner(ports, settings, request) }: ApplyTerms<ImportPlan> = {},
): Promise<Result<AppliedImport>> {
  return applyPlan(ports, settings, {
    source: request.source ?? 'official',
    origin: 'import',
    by,
    deletesDisabled: false,
    plan: async () => {
      const plan = await planner.plan()
      if (!plan.ok) return plan
      const { skills } = plan.value
      const broken = request.allowBreaking === true ? [] : skills.filter(isBreaking)
      if (broken.length > 0) return refuseBreaking(broken)
      return ok({ ...plan.value, youngestMs: findYoungestMs(skills) })
    },
  })
}

function isBreaking({ merged }: PlannedSkill): boolean {
  return merged.breaking.length > 0
}

function refuseBreaking(broken: readonly PlannedSkill[]): Result<never> {
  const all = broken.flatMap(({ merged, skillId }) =>
    merged.breaking.map((sentence) => `${skillId}: ${sentence}`),
  )
  const tools = broken.length === 1 ? '1 tool' : `${broken.length} tools`
  const shown = all.slice(0, BREAKING_SHOWN_MAX)
  const detail =
    `allowBreaking: the document breaks ${tools} that agents use: ${shown.join(' ')} ` +
    'Nothing was changed. Set allowBreaking to true to apply it all the same.'
  const faults = shown.map((message) => ({ pointer: '/allowBreaking', message }))
  return refuse('conflict', detail, { faults })
}

/** POST imports/openapi:apply: puts the skills of a plan, then makes the tool list once (apply-plan.ts). */
import { ok, type Result, refuse } from '../../errors.ts'
import type { Settings } from '../../settings.ts'
import { type ApplyPlanNeeds, applyPlan } from './apply-plan.ts'
import type { ImportRequest } from './import-request.ts'
import { comparePrepared, type ImportPlan, type PlanNeeds, prepareImport } from './plan-import.ts'
import { type PlannedSkill, youngestMsOf } from './planned-skill.ts'

export type ApplyNeeds = PlanNeeds & ApplyPlanNeeds

export type AppliedImport = { readonly plan: ImportPlan; readonly tools: number | undefined }

/** Faults that a refusal names. */
const BREAKING_SHOWN_MAX = 20

export async function applyImport(
  ports: ApplyNeeds,
  settings: Settings,
  request: ImportRequest,
  /** The administrator who asks. */
  by?: string,
): Promise<Result<AppliedImport>> {
  const prepared = await prepareImport(ports, settings, request)
  if (!prepared.ok) return prepared
  return applyPlan(ports, settings, {
    source: request.source ?? 'official',
    origin: 'import',
    by,
    deletesDisabled: false,
    plan: async () => {
      const plan = await comparePrepared(ports, settings, prepared.value)
      const broken = request.allowBreaking === true ? [] : plan.skills.filter(isBreaking)
      if (broken.length > 0) return refuseBreaking(broken)
      return ok({ ...plan, youngestMs: youngestMsOf(plan.skills) })
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
  const detail =
    `allowBreaking: the document breaks ${tools} that agents use: ${all.slice(0, BREAKING_SHOWN_MAX).join(' ')} ` +
    'Nothing was changed. Set allowBreaking to true (--allow-breaking) to apply it all the same.'
  return refuse('conflict', detail)
}

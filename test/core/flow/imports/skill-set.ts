/** How tests send a set of skills. */
import { applySet } from '../../../../core/flow/imports/apply-set.ts'
import { planSet } from '../../../../core/flow/imports/plan-set.ts'
import type { SetRequest } from '../../../../core/flow/imports/set-request.ts'
import { toSetPlanView } from '../../../../core/flow/imports/show-plan.ts'
import type { Json, JsonObject } from '../../../../core/json/json.ts'
import { okOf, skillJson, type World } from '../world.ts'

export function setOf(skills: Json, more: Partial<SetRequest> = {}): SetRequest {
  const text = typeof skills === 'string' ? skills : JSON.stringify(skills)
  const defaults = { set: 'main', source: 'official', prune: false, edits: 'keep', strict: true }
  return { ...defaults, text, ...more } as SetRequest
}

/** Official skills of these ids, at a price. */
export function skillsAt(price: number, ...ids: readonly string[]): JsonObject[] {
  return ids.map((id) => skillJson(id, { price }))
}

export async function plannedSet(world: World, request: SetRequest) {
  return toSetPlanView(okOf(await planSet(world.ports, world.settings, request)))
}

export async function appliedSet(world: World, request: SetRequest) {
  const { plan, tools } = okOf(
    await applySet(world.ports, world.settings, request, { by: 'grace' }),
  )
  return { ...toSetPlanView(plan), tools }
}

/** Prices of the stored skills, by id. */
export async function pricesOf(world: World): Promise<{ readonly [id: string]: Json }> {
  const { records } = await world.ports.skills.list({ source: 'official', limit: 1_000 })
  return Object.fromEntries(
    records.map(({ definition, skillId }) => [skillId, definition['credits_per_call'] ?? null]),
  )
}

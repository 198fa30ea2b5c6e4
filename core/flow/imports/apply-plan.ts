/**
 * Applies the plan of an OpenAPI document or of a set: stores its skills, then makes the tool list
 * once. Agents see the old list until the rebuild and the new list after it.
 *
 *   plan ─▶ put each skill (if it still has the planned version) ─▶ plan again
 *     ▲                                                                │ a difference is left
 *     └────────────────────────────────────────────────────────────────┤
 *                     no difference ─▶ rebuild the list, then delete what was disabled
 * - Another writer changes a skill meanwhile: the put is refused, and the next plan treats the
 *   change as an edit by hand.
 * - An administrator stops a skill before the apply puts it: the next plan keeps the stop, whatever
 *   the set says. A stop after the put is not touched.
 * - Two applies of different contents at once: an apply ends only after a plan that found nothing
 *   to put. So the apply whose last plan began later has stored all of its contents, and no mixture
 *   of both stays.
 * - A process dies before the rebuild: the same request sent again puts what is missing. It also
 *   rebuilds, since the broadcast is older than the youngest skill.
 * - A process dies between rebuild and deletion: the skill was disabled first, so it is in no list,
 *   and the same request deletes it.
 */
import { ok, type Result, refuse } from '../../errors.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import type { SkillOrigin } from '../../skills/skill.ts'
import { LIST_CONFLICT, LIST_WRITE_ATTEMPTS, relistSkill } from '../registry/change-tool-list.ts'
import { makeNextVersion } from '../registry/next-version.ts'
import { rebuildToolList } from '../registry/rebuild-tool-list.ts'
import type { PlannedSkill } from './planned-skill.ts'
import type { Planner } from './planner.ts'

export type ApplyPlanNeeds = Pick<
  Ports,
  'clock' | 'log' | 'skills' | 'skillVersions' | 'toolListVersion' | 'toolsCache'
>

/** `by` is the name of the administrator. */
export type ApplyTerms<P> = { readonly by?: string; readonly planner?: Planner<P> }

type Plan = {
  readonly skills: readonly PlannedSkill[]
  /** Time of the last change of any skill of the import or the set. */
  readonly youngestMs: number
}

export type PlanToApply<P extends Plan> = {
  readonly source: 'official' | 'market'
  readonly origin: SkillOrigin
  /** The name of the administrator. */
  readonly by: string | undefined
  /** If true, skills that this apply disables are also deleted by it. */
  readonly deletesDisabled: boolean
  /** Compares the request with the stored skills. Refuses what must not be applied. */
  plan(): Promise<Result<P>>
}

/**
 * Plans before the apply gives up, if other writers change the same skills. The last only checks.
 */
const PLAN_ATTEMPTS = 6
/** Writes at once: with these, 400 skills take a second, and a small table is not overloaded. */
const WRITES_AT_ONCE = 8
/** Steps of one rebuild: each reads 10,000 skills. */
const REBUILD_STEPS_MAX = 20

/**
 * Returns the first plan, which shows what was changed, and the number of tools in the new list;
 * undefined if no new list was needed. Refuses with `conflict` if other writers win every try.
 */
export async function applyPlan<P extends Plan>(
  ports: ApplyPlanNeeds,
  settings: Settings,
  work: PlanToApply<P>,
): Promise<Result<{ readonly plan: P; readonly tools: number | undefined }>> {
  let first: P | undefined
  let tools: number | undefined
  for (let attempt = 1; attempt <= PLAN_ATTEMPTS; attempt += 1) {
    const result = await work.plan()
    if (!result.ok) return result
    const plan = result.value
    first ??= plan
    const due = plan.skills.filter(isPut)
    if (due.length > 0) {
      await runInBatches(due, (skill) => putSkill(ports, work, skill))
      continue
    }
    const listed = await rebuildIfDue(ports, settings, { plan, hasPut: first.skills.some(isPut) })
    if (!listed.ok) return listed
    tools = listed.value ?? tools
    const removals = findRemovals(work, first, plan)
    const removed = await removeAll(ports, settings, work, removals)
    if (!removed.ok) return removed
    if (removed.value) return ok({ plan: first, tools })
  }
  return refuse(
    'conflict',
    'Its skills are being changed by others at the same time. Send it again: that completes it.',
    { retryAfterSec: 1 },
  )
}

function isPut({ kind }: PlannedSkill): boolean {
  return kind === 'added' || kind === 'changed' || kind === 'disabled'
}

/** Skills to delete: those of the first plan, or all that this apply disabled if it may do so. */
function findRemovals<P extends Plan>(work: PlanToApply<P>, first: P, last: P) {
  const ids = new Set(first.skills.filter(isDeleted).map(({ skillId }) => skillId))
  return last.skills.filter(
    (skill) => isDeleted(skill) && (work.deletesDisabled || ids.has(skill.skillId)),
  )
}

function isDeleted({ kind }: PlannedSkill): boolean {
  return kind === 'deleted'
}

/** A put that another writer overtook has no effect; the next plan finds the difference. */
async function putSkill<P extends Plan>(
  ports: ApplyPlanNeeds,
  { by, origin, source }: PlanToApply<P>,
  { definition, skillId, stored }: PlannedSkill,
): Promise<void> {
  const over = { key: { skillId, source, uid: undefined }, old: stored }
  const terms = { toolName: skillId, origin, ...(by === undefined ? {} : { by }) }
  await ports.skills.put(
    await makeNextVersion(ports, over, definition, terms),
    stored?.version ?? 0,
  )
}

/** Returns the tools in the new list; undefined if the list is newer than every skill. */
async function rebuildIfDue(
  ports: ApplyPlanNeeds,
  settings: Settings,
  { hasPut, plan }: { readonly plan: Plan; readonly hasPut: boolean },
): Promise<Result<number | undefined>> {
  const { youngestMs } = plan
  if (!hasPut && (await ports.toolListVersion.read()) >= youngestMs) return ok(undefined)
  let cursor: string | undefined
  for (let step = 1; step <= REBUILD_STEPS_MAX + LIST_WRITE_ATTEMPTS; step += 1) {
    const rebuilt = await rebuildToolList(ports, settings, cursor)
    if (!rebuilt.ok) return rebuilt
    if (!('nextCursor' in rebuilt.value)) return ok(rebuilt.value.tools)
    cursor = rebuilt.value.nextCursor
  }
  return LIST_CONFLICT
}

/** Returns false if one of the skills has another version by now. */
async function removeAll<P extends Plan>(
  ports: ApplyPlanNeeds,
  settings: Settings,
  { source }: PlanToApply<P>,
  removals: readonly PlannedSkill[],
): Promise<Result<boolean>> {
  let isComplete = true
  await runInBatches(removals, async ({ skillId, stored }) => {
    if (!(await ports.skills.remove({ source, skillId }, stored?.version ?? 0))) isComplete = false
  })
  if (source === 'market') return ok(isComplete)
  for (const { skillId } of removals) {
    // The disabled official skill hid the market's skill of the same id, which is now listed.
    const market = await ports.skills.get({ source: 'market', skillId })
    if (market === undefined) continue
    const listed = await relistSkill(ports, settings, { skillId, changed: true, sinceMs: 0 })
    if (!listed.ok) return listed
  }
  return ok(isComplete)
}

async function runInBatches<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < all.length; at += WRITES_AT_ONCE) {
    await Promise.all(all.slice(at, at + WRITES_AT_ONCE).map(work))
  }
}

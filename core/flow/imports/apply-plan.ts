/**
 * Puts the skills of a plan, of an OpenAPI document or of a set, then makes the tool list once.
 *
 *   plan ─▶ put each skill (if it still has the version that was planned) ─▶ plan again
 *     ▲                                                                         │ a difference is left
 *     └─────────────────────────────────────────────────────────────────────────┤
 *                                                      none ─▶ rebuild the list ┴▶ delete what was disabled
 * Another writer changes a skill meanwhile: its put is refused, and the next plan judges the edit as one
 * by hand. A stop beside an apply: put before the apply's, the next plan keeps it, whatever the set says; put after it, it stands. Two applies at once with different contents: an apply ends after a plan that found nothing to
 * put, so the one whose last plan began later has put, and then found, all of its own; no mixture stays.
 * Agents see the old list until the rebuild, and the new one after it. Dies before the rebuild: the same
 * request sent again puts what is missing and rebuilds, since the broadcast is older than the youngest
 * skill. What is deleted was disabled by a put before, so a death between list and deletion leaves a skill
 * that is in no list, and that the same request deletes.
 */
import { ok, type Result, refuse } from '../../errors.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import type { SkillOrigin } from '../../skills/skill.ts'
import { LIST_CONFLICT, relistSkill, WRITE_ATTEMPTS } from '../registry/change-tool-list.ts'
import { nextVersion } from '../registry/next-version.ts'
import { rebuildToolList } from '../registry/rebuild-tool-list.ts'
import type { PlannedSkill } from './planned-skill.ts'
import type { Planner } from './planner.ts'

export type ApplyPlanNeeds = Pick<
  Ports,
  'clock' | 'log' | 'skills' | 'skillVersions' | 'toolListVersion' | 'toolsCache'
>

/** `by` is the administrator who asks. */
export type ApplyTerms<P> = { readonly by?: string; readonly planner?: Planner<P> }

type Planned = {
  readonly skills: readonly PlannedSkill[]
  /** When the youngest of all skills of the import changed. */
  readonly youngestMs: number
}

export type PlanToApply<P extends Planned> = {
  readonly source: 'official' | 'market'
  readonly origin: SkillOrigin
  /** The administrator who asks. */
  readonly by: string | undefined
  /** Skills that this apply disables are deleted by it as well. */
  readonly deletesDisabled: boolean
  /** Compares with what is stored now; refuses what must not be applied. */
  plan(): Promise<Result<P>>
}

/** Plans against other writers of the same skills before the apply gives up; the last one only checks. */
const PLAN_ATTEMPTS = 6
/** Writes at a time: enough that 400 skills take a second, few enough for a small table. */
const WRITES_AT_ONCE = 8
/** Steps of one rebuild: each reads 10,000 skills. */
const REBUILD_STEPS_MAX = 20

/** The first plan, which says what was changed, and the tools in the new list; undefined when none was due. */
export async function applyPlan<P extends Planned>(
  ports: ApplyPlanNeeds,
  settings: Settings,
  work: PlanToApply<P>,
): Promise<Result<{ readonly plan: P; readonly tools: number | undefined }>> {
  let first: P | undefined
  let tools: number | undefined
  for (let attempt = 1; attempt <= PLAN_ATTEMPTS; attempt += 1) {
    const planned = await work.plan()
    if (!planned.ok) return planned
    const plan = planned.value
    first ??= plan
    const due = plan.skills.filter(isPut)
    if (due.length > 0) {
      await eachOf(due, (skill) => putOne(ports, work, skill))
      continue
    }
    const listed = await relist(ports, settings, { plan, hasPut: first.skills.some(isPut) })
    if (!listed.ok) return listed
    tools = listed.value ?? tools
    const removals = deletable(work, first, plan)
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

function deletable<P extends Planned>(work: PlanToApply<P>, first: P, last: P) {
  const ids = new Set(first.skills.filter(isDeleted).map(({ skillId }) => skillId))
  return last.skills.filter(
    (skill) => isDeleted(skill) && (work.deletesDisabled || ids.has(skill.skillId)),
  )
}

function isDeleted({ kind }: PlannedSkill): boolean {
  return kind === 'deleted'
}

/** A put that another writer's overtook does nothing; the next plan finds the difference. */
async function putOne<P extends Planned>(
  ports: ApplyPlanNeeds,
  { by, origin, source }: PlanToApply<P>,
  { definition, skillId, stored }: PlannedSkill,
): Promise<void> {
  const over = { key: { skillId, source, uid: undefined }, old: stored }
  const terms = { toolName: skillId, origin, ...(by === undefined ? {} : { by }) }
  await ports.skills.put(await nextVersion(ports, over, definition, terms), stored?.version ?? 0)
}

async function relist(
  ports: ApplyPlanNeeds,
  settings: Settings,
  { hasPut, plan }: { readonly plan: Planned; readonly hasPut: boolean },
): Promise<Result<number | undefined>> {
  const { youngestMs } = plan
  if (!hasPut && (await ports.toolListVersion.read()) >= youngestMs) return ok(undefined)
  let cursor: string | undefined
  for (let step = 1; step <= REBUILD_STEPS_MAX + WRITE_ATTEMPTS; step += 1) {
    const rebuilt = await rebuildToolList(ports, settings, cursor)
    if (!rebuilt.ok) return rebuilt
    if (!('nextCursor' in rebuilt.value)) return ok(rebuilt.value.tools)
    cursor = rebuilt.value.nextCursor
  }
  return LIST_CONFLICT
}

/** False when one has another version by now. */
async function removeAll<P extends Planned>(
  ports: ApplyPlanNeeds,
  settings: Settings,
  { source }: PlanToApply<P>,
  removals: readonly PlannedSkill[],
): Promise<Result<boolean>> {
  let isComplete = true
  await eachOf(removals, async ({ skillId, stored }) => {
    if (!(await ports.skills.remove({ source, skillId }, stored?.version ?? 0))) isComplete = false
  })
  if (source === 'market') return ok(isComplete)
  for (const { skillId } of removals) {
    // Behind a disabled official skill, the market's of the same id was in no list.
    const market = await ports.skills.get({ source: 'market', skillId })
    if (market === undefined) continue
    const listed = await relistSkill(ports, settings, { skillId, changed: true, sinceMs: 0 })
    if (!listed.ok) return listed
  }
  return ok(isComplete)
}

async function eachOf<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < all.length; at += WRITES_AT_ONCE) {
    await Promise.all(all.slice(at, at + WRITES_AT_ONCE).map(work))
  }
}

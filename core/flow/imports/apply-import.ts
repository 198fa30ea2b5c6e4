/**
 * POST imports/openapi:apply: puts the skills of a plan, then makes the tool list once.
 *
 *   plan ─▶ put each skill (if it still has the version that was planned) ─▶ rebuild the list ─▶ broadcast
 * Another writer changes a skill meanwhile: the put is refused, and the whole plan is made again, so
 * that the edit is judged as one by hand. Agents see the old list until the rebuild, and the new one
 * after it. Dies before the rebuild: the same request sent again puts what is missing and rebuilds,
 * since the broadcast is older than the youngest skill.
 */
import { ok, type Result, refuse } from '../../errors.ts'
import type { Ports } from '../../ports.ts'
import type { Settings } from '../../settings.ts'
import { LIST_CONFLICT, WRITE_ATTEMPTS } from '../registry/change-tool-list.ts'
import { nextVersion } from '../registry/next-version.ts'
import { rebuildToolList } from '../registry/rebuild-tool-list.ts'
import type { ImportRequest } from './import-request.ts'
import { type ImportPlan, type PlanNeeds, type PlannedSkill, planImport } from './plan-import.ts'

export type ApplyNeeds = PlanNeeds &
  Pick<Ports, 'clock' | 'log' | 'skillVersions' | 'toolListVersion' | 'toolsCache'>

export type AppliedImport = { readonly plan: ImportPlan; readonly tools: number | undefined }

/** Plans against other writers of the same skills before the apply gives up. */
const PLAN_ATTEMPTS = 4
/** Writes at a time: enough that 400 skills take a second, few enough for a small table. */
const PUTS_AT_ONCE = 8
/** Steps of one rebuild: each reads 10,000 skills. */
const REBUILD_STEPS_MAX = 20
/** Faults that a refusal names. */
const BREAKING_SHOWN_MAX = 20

export async function applyImport(
  ports: ApplyNeeds,
  settings: Settings,
  request: ImportRequest,
  /** The administrator who asks. */
  by?: string,
): Promise<Result<AppliedImport>> {
  let first: ImportPlan | undefined
  for (let attempt = 1; attempt <= PLAN_ATTEMPTS; attempt += 1) {
    const planned = await planImport(ports, settings, request)
    if (!planned.ok) return planned
    const plan = planned.value
    const broken = request.allowBreaking === true ? [] : plan.skills.filter(isBreaking)
    if (broken.length > 0) return refuseBreaking(broken)
    first ??= plan
    if (!(await putAll(ports, plan, by))) continue
    const tools = await relist(ports, settings, plan)
    return tools.ok ? ok({ plan: first, tools: tools.value }) : tools
  }
  return refuse(
    'conflict',
    'prefix: skills of this import are being changed by others at the same time. Send it again.',
    { retryAfterSec: 1 },
  )
}

function isBreaking({ merged }: PlannedSkill): boolean {
  return merged.breaking.length > 0
}

function refuseBreaking(broken: readonly PlannedSkill[]): Result<never> {
  const all = broken.flatMap(({ merged, skillId }) =>
    merged.breaking.map((sentence) => `${skillId}: ${sentence}`),
  )
  const detail =
    `allowBreaking: the document breaks ${broken.length} tools that agents use: ` +
    `${all.slice(0, BREAKING_SHOWN_MAX).join(' ')} Nothing was changed. Set allowBreaking to true to apply it all the same.`
  return refuse('conflict', detail)
}

/** False when a skill had another version: then the plan is made again. */
async function putAll(
  ports: ApplyNeeds,
  { place, skills }: ImportPlan,
  by: string | undefined,
): Promise<boolean> {
  const due = skills.filter(({ kind }) => kind !== 'unchanged')
  for (let at = 0; at < due.length; at += PUTS_AT_ONCE) {
    const some = due.slice(at, at + PUTS_AT_ONCE)
    const done = await Promise.all(
      some.map((one) => putOne(ports, { source: place.source, by }, one)),
    )
    if (done.includes(false)) return false
  }
  return true
}

async function putOne(
  ports: ApplyNeeds,
  { by, source }: { readonly by: string | undefined; readonly source: 'official' | 'market' },
  { definition, kind, skillId, stored }: PlannedSkill,
): Promise<boolean> {
  const version = stored?.version ?? 0
  if (kind === 'deleted') return ports.skills.remove({ source, skillId }, version)
  const over = { key: { skillId, source, uid: undefined }, old: stored }
  const terms = {
    toolName: skillId,
    origin: 'import',
    ...(by === undefined ? {} : { by }),
  } as const
  return ports.skills.put(await nextVersion(ports, over, definition, terms), version)
}

/** The number of tools in the new list; undefined when none was due. */
async function relist(
  ports: ApplyNeeds,
  settings: Settings,
  { skills }: ImportPlan,
): Promise<Result<number | undefined>> {
  const hasChanged = skills.some(({ kind }) => kind !== 'unchanged')
  const youngestMs = Math.max(0, ...skills.map(({ stored }) => stored?.updatedAtMs ?? 0))
  if (!hasChanged && (await ports.toolListVersion.read()) >= youngestMs) return ok(undefined)
  let cursor: string | undefined
  for (let step = 1; step <= REBUILD_STEPS_MAX + WRITE_ATTEMPTS; step += 1) {
    const rebuilt = await rebuildToolList(ports, settings, cursor)
    if (!rebuilt.ok) return rebuilt
    if (!('nextCursor' in rebuilt.value)) return ok(rebuilt.value.tools)
    cursor = rebuilt.value.nextCursor
  }
  return LIST_CONFLICT
}

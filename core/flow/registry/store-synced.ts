/**
 * Puts a skill that was judged, over the one that is stored.
 *
 * Two syncs of one skill at once: each put is conditional on the version that was read; the loser
 * reads again and puts over it, so the last one to finish stands, whole.
 *
 *   push: read v1 ─▶ keep its state ─▶ put v2 if it is still v1     stop: read ─▶ put, if unchanged
 * The stop is put first: the push is refused, reads v2, and keeps its state, even if its text names one: the text was written before the
 * stop. The push is put first: the stop is refused, reads v2, and stops that (change-skill.ts). So the stop wins in either order.
 */
import { ok, type Result, refuse } from '../../errors.ts'
import type { JsonObject } from '../../json/json.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import type { ReadSkill } from '../../skills/definition/read-skill.ts'
import type { OperatingPart } from '../../skills/operating-state.ts'
import type { SkillRecord } from '../../skills/skill.ts'
import type { StoreOutcome } from './list-synced-skill.ts'
import { type MergedDefinition, mergeOver } from './merge-over.ts'
import { nextVersion, type VersionTerms } from './next-version.ts'
import { overwriteFault } from './overwrite-fault.ts'

/** Tries against other writers of the same skill before the sync gives up. */
const PUT_ATTEMPTS = 5

/** As SyncRequest of sync-skill.ts has them. */
type StoreTerms = VersionTerms & {
  readonly uid: string | undefined
  readonly strict?: boolean | undefined
  readonly sets?: ReadonlySet<OperatingPart>
  readonly deleted?: SkillRecord | undefined
}

/** Refuses with `conflict` where others keep writing, with `invalid_skill` a slip that would replace a working skill. */
export async function storeSynced(
  ports: Pick<Ports, 'clock' | 'skills' | 'skillVersions'>,
  settings: Settings,
  read: ReadSkill,
  terms: StoreTerms,
): Promise<Result<StoreOutcome>> {
  const { source, skillId } = read.skill
  const owner = source === 'private' ? terms.uid : undefined
  const key = { source, skillId, ...(owner === undefined ? {} : { uid: owner }) }
  let first: SkillRecord | undefined
  for (let attempt = 1; attempt <= PUT_ATTEMPTS; attempt += 1) {
    const old = await ports.skills.get(key)
    if (attempt === 1) first = old
    const merged = mergeOver({ old, first }, read, terms)
    const stands = standing(settings, old, read, { ...terms, ...merged })
    if (stands !== undefined) return stands
    const over = { key: { ...key, uid: owner }, old }
    const record = await nextVersion(ports, over, merged.definition, terms)
    const { notes } = merged
    if (await ports.skills.put(record, old?.version ?? 0))
      return ok({ record, created: old === undefined, changed: true, before: old, notes })
  }
  return refuse(
    'conflict',
    `id: ${skillId} is being synced by others at the same time. Send it again.`,
    { retryAfterSec: 1 },
  )
}

type StandingTerms = Pick<StoreTerms, 'strict' | 'toolName'> & MergedDefinition

/** The outcome of a sync that needs no put: the same definition, or a slip that may not replace a working skill. */
function standing(
  settings: Settings,
  old: SkillRecord | undefined,
  read: ReadSkill,
  { definition, notes, strict, toolName }: StandingTerms,
): Result<StoreOutcome> | undefined {
  if (old === undefined) return undefined
  if (old.toolName === toolName && isSame(old.definition, definition)) {
    return ok({ record: old, created: false, changed: false, before: undefined, notes })
  }
  return strict === undefined ? overwriteFault(settings, old, read) : undefined
}

/** The order of fields does not count: those that were kept may stand elsewhere. */
function isSame(one: JsonObject, other: JsonObject): boolean {
  const names = Object.keys(one)
  const isEqual = (name: string) => JSON.stringify(one[name]) === JSON.stringify(other[name])
  return names.length === Object.keys(other).length && names.every(isEqual)
}

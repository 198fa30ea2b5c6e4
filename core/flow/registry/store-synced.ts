/**
 * Stores a validated skill over the stored one. The new definition keeps the operating state
 * (state, groups, price) that its text does not set.
 *
 * Two syncs of one skill at once: each put is conditional on the version that was read. The loser
 * reads again and puts over the winner, so the skill is wholly that of the last sync to finish.
 *
 *   push: read v1 ─▶ keep its state ─▶ put v2 if it is still v1     stop: read ─▶ put, if unchanged
 * - The stop is put first: the put of the push fails. The push reads v2 and keeps the stopped
 *   state, even if its text names a state, since the text was written before the stop.
 * - The push is put first: the put of the stop fails. It reads v2 and stops that (change-skill.ts).
 * So the stop wins in either order.
 *
 * Two edits of version 1 that both name it: the put of the loser fails. It reads version 2, which is
 * not the one that it names, and is refused.
 */
import { ok, type Result, refuse } from '../../errors.ts'
import type { JsonObject } from '../../json/json.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import { findNewMistakes } from '../../skills/definition/likely-mistakes.ts'
import { isRunnable, type ReadSkill } from '../../skills/definition/read-skill.ts'
import {
  keepOperating,
  listOperatingParts,
  type OperatingPart,
  writeOperatingNotes,
} from '../../skills/operating-state.ts'
import type { SkillRecord } from '../../skills/skill.ts'
import { readStoredSkill } from '../../skills/stored-skill.ts'
import type { StoreOutcome } from './list-synced-skill.ts'
import { makeNextVersion, type VersionTerms } from './next-version.ts'

/** Tries against other writers of the same skill before the sync gives up. */
const PUT_ATTEMPTS = 5

/** Members of SyncRequest (sync-skill.ts), which explains them. */
type StoreTerms = VersionTerms & {
  readonly uid: string | undefined
  readonly strict?: boolean | undefined
  readonly sets?: ReadonlySet<OperatingPart>
  readonly deleted?: SkillRecord | undefined
  readonly ifVersion?: number | undefined
}

/**
 * Refuses with `conflict` if other writers win every try, and with `invalid_skill` a text with a
 * probable mistake that would replace a working skill.
 */
export async function storeSkill(
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
    const { definition, notes } = mergeOver({ old, first }, read, terms)
    const early = resultWithoutPut(settings, old, read, { ...terms, definition, notes })
    if (early !== undefined) return early
    const refused = refuseVersion(old, skillId, terms.ifVersion)
    if (refused !== undefined) return refused
    const over = { key: { ...key, uid: owner }, old }
    const record = await makeNextVersion(ports, over, definition, terms)
    if (await ports.skills.put(record, old?.version ?? 0))
      return ok({ record, created: old === undefined, changed: true, before: old, notes })
  }
  return refuse(
    'conflict',
    `id: ${skillId} is being synced by others at the same time. Send it again.`,
    { retryAfterSec: 1 },
  )
}

/** Refuses a text that was made of another version; undefined if it may be put. */
function refuseVersion(
  old: SkillRecord | undefined,
  skillId: string,
  ifVersion: number | undefined,
): Result<never> | undefined {
  const version = old?.version ?? 0
  if (ifVersion === undefined || ifVersion === version) return undefined
  const is = version === 0 ? 'does not exist' : `has version ${version} by now`
  return refuse(
    'conflict',
    `if_version: ${skillId} ${is}. Look at it, and send the change with that version.`,
  )
}

type MergedDefinition = {
  readonly definition: JsonObject
  /** The parts of the operating state that were kept, and those that the text changed. */
  readonly notes: readonly string[]
}

/**
 * Merges the sent text with the operating state of the record. `first` is the record as this sync
 * read it first: a state that somebody set since then is newer than the text, and is kept.
 */
function mergeOver(
  {
    first,
    old,
  }: { readonly old: SkillRecord | undefined; readonly first: SkillRecord | undefined },
  { definition: sent }: ReadSkill,
  { deleted, sets = listOperatingParts(sent) }: StoreTerms,
): MergedDefinition {
  const base = old ?? deleted
  if (base === undefined) return { definition: sent, notes: [] }
  const set = new Set(sets)
  const isNewer = old !== undefined && first?.definition['state'] !== old.definition['state']
  if (isNewer) set.delete('state')
  const definition = keepOperating(base.definition, sent, set)
  return { definition, notes: writeOperatingNotes(base.definition, sent, definition) }
}

/** Returns the result of a sync that needs no put, or may make none; undefined if it must put. */
function resultWithoutPut(
  settings: Settings,
  old: SkillRecord | undefined,
  read: ReadSkill,
  {
    definition,
    notes,
    strict,
    toolName,
  }: Pick<StoreTerms, 'strict' | 'toolName'> & MergedDefinition,
): Result<StoreOutcome> | undefined {
  if (old === undefined) return undefined
  if (old.toolName === toolName && isSame(old.definition, definition)) {
    return ok({ record: old, created: false, changed: false, before: undefined, notes })
  }
  return strict === undefined ? refuseOverwrite(settings, old, read) : undefined
}

/**
 * Refuses to replace a working skill by a text with a probable mistake; undefined if `old` may be
 * replaced. A new skill only gets a warning. A working one would change under its users, and nobody
 * reads the warnings of a script.
 */
function refuseOverwrite(
  { prefix }: Settings,
  old: SkillRecord,
  { slips }: ReadSkill,
): Result<never> | undefined {
  if (slips.length === 0) return undefined
  const before = readStoredSkill(old, prefix)
  if (!before.ok || !isRunnable(before.value.skill)) return undefined
  const faults = findNewMistakes(slips, before.value.slips)
  const [first] = faults
  if (first === undefined) return undefined
  const detail = `${old.skillId} works, and this text is probably mistaken: ${first.pointer} ${first.message}. Nothing was changed. Correct it, or send ?strict=false to replace the skill all the same.`
  return refuse('invalid_skill', detail, { faults })
}

/** Ignores the order of fields, since kept fields may be in another place. */
function isSame(one: JsonObject, other: JsonObject): boolean {
  const names = Object.keys(one)
  const isEqual = (name: string) => JSON.stringify(one[name]) === JSON.stringify(other[name])
  return names.length === Object.keys(other).length && names.every(isEqual)
}

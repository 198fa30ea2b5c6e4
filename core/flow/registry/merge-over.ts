/** What a sync stores over an older skill: its definition, with the operating state that its text does not set. */
import type { JsonObject } from '../../json/json.ts'
import type { ReadSkill } from '../../skills/definition/read-skill.ts'
import {
  keepOperating,
  type OperatingPart,
  operatingNotes,
  partsNamedIn,
} from '../../skills/operating-state.ts'
import type { SkillRecord } from '../../skills/skill.ts'

export type MergedDefinition = {
  readonly definition: JsonObject
  /** What was kept of the operating state, and what the text changed of it. */
  readonly notes: readonly string[]
}

type Terms = {
  /** Parts that the text sets; by default those that it has. */
  readonly sets?: ReadonlySet<OperatingPart>
  /** The last version of a skill that was deleted, and that is brought back. */
  readonly deleted?: SkillRecord | undefined
}

/** `first` is the record as this sync read it first. A state that somebody set since then is newer than the text. */
export function mergeOver(
  {
    first,
    old,
  }: { readonly old: SkillRecord | undefined; readonly first: SkillRecord | undefined },
  { definition: sent, skill }: ReadSkill,
  { deleted, sets = partsNamedIn(sent) }: Terms,
): MergedDefinition {
  const base = old ?? deleted
  if (base === undefined) return { definition: sent, notes: [] }
  const set = new Set(sets)
  const isNewer = old !== undefined && first?.definition['state'] !== old.definition['state']
  if (isNewer) set.delete('state')
  const definition = keepOperating(base.definition, sent, set)
  return { definition, notes: operatingNotes(skill, base.definition, sent, definition) }
}

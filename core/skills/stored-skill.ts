/**
 * The typed view of a record that is in the store. Records do not change: each is read once, however
 * often it is called, for as long as somebody keeps it. Refuses what `readSkill` refuses.
 */
import type { Result } from '../errors.ts'
import type { JsonObject } from '../json/json.ts'
import { type ReadSkill, readSkill } from './read-skill.ts'
import type { SkillRecord } from './skill.ts'

type Known = { readonly prefix: string; readonly read: Result<ReadSkill> }

/** By the definition itself, so that nothing here keeps one alive. */
const known = new WeakMap<JsonObject, Known>()

export function readStoredSkill(record: SkillRecord, prefix: string): Result<ReadSkill> {
  const { definition, source } = record
  const before = known.get(definition)
  if (before !== undefined && before.prefix === prefix) return before.read
  const read = readSkill(definition, { prefix, source, isStored: true })
  known.set(definition, { prefix, read })
  return read
}

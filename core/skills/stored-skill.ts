/**
 * The typed view of a stored record. Records do not change, so each is parsed once and cached for
 * as long as it is referenced. Refuses what `readSkill` refuses.
 */
import type { Result } from '../errors.ts'
import type { JsonObject } from '../json/json.ts'
import type { MicroCredits } from '../ledger/ledger.ts'
import { type ReadSkill, readSkill } from './definition/read-skill.ts'
import type { CallableRecord } from './skill.ts'

type ParsedRecord = { readonly prefix: string; readonly read: Result<ReadSkill> }

/** Keyed weakly by the definition, so that the cache keeps none alive. */
const known = new WeakMap<JsonObject, ParsedRecord>()

export function readStoredSkill(record: CallableRecord, prefix: string): Result<ReadSkill> {
  const { definition, source } = record
  const before = known.get(definition)
  if (before !== undefined && before.prefix === prefix) return before.read
  const read = readSkill(definition, { prefix, source, isStored: true })
  known.set(definition, { prefix, read })
  return read
}

/** 0 for a record that this build cannot read, which nobody can call. */
export function storedPrice(record: CallableRecord, prefix: string): MicroCredits {
  const read = readStoredSkill(record, prefix)
  return read.ok ? read.value.skill.priceMicroCredits : 0
}

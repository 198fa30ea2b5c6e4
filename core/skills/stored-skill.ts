/**
 * Reads a stored record as a typed skill. Records do not change, so each is parsed once and cached
 * for as long as it is referenced. Refuses a record for the reasons of `readSkill`.
 */
import type { Result } from '../errors.ts'
import type { JsonObject } from '../json/json.ts'
import type { MicroCredits } from '../ledger/ledger.ts'
import { type ReadSkill, readSkill } from './definition/read-skill.ts'
import type { CallableRecord } from './skill.ts'

type ParsedRecord = { readonly prefix: string; readonly read: Result<ReadSkill> }

/** Results by definition. The keys are weak, so that the cache keeps no record in memory. */
const cache = new WeakMap<JsonObject, ParsedRecord>()

export function readStoredSkill(record: CallableRecord, prefix: string): Result<ReadSkill> {
  const { definition, source } = record
  const cached = cache.get(definition)
  if (cached !== undefined && cached.prefix === prefix) return cached.read
  const read = readSkill(definition, { prefix, source, isStored: true })
  cache.set(definition, { prefix, read })
  return read
}

/** Returns the price; 0 for a record that this build cannot read, and so cannot be called. */
export function readStoredPrice(record: CallableRecord, prefix: string): MicroCredits {
  const read = readStoredSkill(record, prefix)
  return read.ok ? read.value.skill.priceMicroCredits : 0
}

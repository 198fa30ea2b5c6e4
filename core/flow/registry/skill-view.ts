/** A stored skill as administrators see it, and the readers of its tier and owner in a request. */
import { ok, type Result, refuse } from '../../errors.ts'
import { refuseFields } from '../../json/body-fields.ts'
import type { JsonObject } from '../../json/json.ts'
import { SKILL_SOURCES, type SkillRecord, type SkillSource } from '../../skills/skill.ts'

export type SkillView = {
  readonly skill: JsonObject
  readonly source: SkillSource
  readonly skillId: string
  /** The owner of a private skill. */
  readonly uid?: string
  readonly toolName: string
  readonly createdAtMs: number
  readonly updatedAtMs: number
  readonly version: number
}

/** Reads a tier from a path or a query. Refuses with `malformed`. */
export function readTier(source: string): Result<SkillSource> {
  const tier = SKILL_SOURCES.find((one) => one === source)
  if (tier !== undefined) return ok(tier)
  return refuse('malformed', `source: must be one of ${SKILL_SOURCES.join(', ')}.`)
}

/** Refuses a private skill without an owner. */
export const MISSING_UID = refuseFields(
  'malformed',
  [{ pointer: '/query/uid', message: 'private skills need their owner' }],
  { remedy: { code: 'name_owner' } },
)

/** The record as JSON for administrators. */
export function toSkillView(record: SkillRecord): SkillView {
  const { createdAtMs, definition, skillId, source, toolName, uid, updatedAtMs, version } = record
  return {
    skill: definition,
    source,
    skillId,
    ...(uid === undefined ? {} : { uid }),
    toolName,
    createdAtMs,
    updatedAtMs,
    version,
  }
}

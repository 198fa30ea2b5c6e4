/** A stored skill as administrators see it, and how they name its tier. */
import { ok, type Result, refuse } from '../../errors.ts'
import type { JsonObject } from '../../json/json.ts'
import { SKILL_SOURCES, type SkillRecord, type SkillSource } from '../../skills/skill.ts'
import { refuseFields } from '../accounts/read-user.ts'

export type SkillView = {
  readonly skill: JsonObject
  readonly source: SkillSource
  readonly skillId: string
  /** Owner of a private skill. */
  readonly uid?: string
  readonly toolName: string
  readonly createdAtMs: number
  readonly updatedAtMs: number
  readonly version: number
}

/** A tier as a path or a query names it. */
export function readTier(source: string): Result<SkillSource> {
  const tier = SKILL_SOURCES.find((one) => one === source)
  if (tier !== undefined) return ok(tier)
  return refuse('malformed', `source: must be one of ${SKILL_SOURCES.join(', ')}.`)
}

export const NO_UID = refuseFields('malformed', [
  {
    pointer: '/query/uid',
    message: 'private skills need their owner; add ?uid=<user id> to the URL',
  },
])

export function viewOf(record: SkillRecord): SkillView {
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

/** One row of the table skills. */
import type { JsonObject } from '../../../core/json/json.ts'
import {
  SKILL_ORIGINS,
  SKILL_SOURCES,
  type SkillRecord,
  type SkillSource,
} from '../../../core/skills/skill.ts'
import { intAt, type Row, textAt, wordAt } from '../database/row.ts'

export function skillFrom(row: Row, parse: (text: string) => JsonObject): SkillRecord {
  const source = wordAt(row, 'source', SKILL_SOURCES)
  return {
    skillId: textAt(row, 'skillId'),
    source,
    uid: source === 'private' ? textAt(row, 'uid') : undefined,
    toolName: textAt(row, 'toolName'),
    definition: parse(textAt(row, 'definition')),
    createdAtMs: intAt(row, 'createdAtMs'),
    updatedAtMs: intAt(row, 'updatedAtMs'),
    version: intAt(row, 'version'),
    ...madeFrom(row),
  }
}

/** Null in rows of an earlier build. */
function madeFrom(row: Row): Pick<SkillRecord, 'by' | 'origin'> {
  if (row['origin'] === null) return {}
  return { by: textAt(row, 'madeBy'), origin: wordAt(row, 'origin', SKILL_ORIGINS) }
}

/** The column uid: skills that all users share have none, and no user id is empty. */
export function ownerOf(source: SkillSource, uid: string | undefined): string {
  return source === 'private' ? (uid ?? '') : ''
}

/**
 * One skill of a plan of an import or a set, and the bytes that such skills take in a tool list.
 */
import { mendSchema } from '../../json/client-schemas.ts'
import type { Json, JsonObject } from '../../json/json.ts'
import { countBytes } from '../../json/text-bytes.ts'
import type { MergedTool } from '../../openapi/merge-tool.ts'
import type { Settings } from '../../settings.ts'
import type { Skill, SkillRecord } from '../../skills/skill.ts'
import { toTool } from '../../skills/skill-tool.ts'
import { readStoredSkill } from '../../skills/stored-skill.ts'

export type PlannedSkill = {
  readonly skillId: string
  /** The operation or the file that the skill is made of. */
  readonly madeOf: string
  /** The record that was stored when the plan was made. */
  readonly stored: SkillRecord | undefined
  readonly merged: Pick<MergedTool, 'breaking' | 'changes' | 'conflicts' | 'edited'>
  readonly kind: 'added' | 'changed' | 'unchanged' | 'disabled' | 'deleted'
  /** The definition to store. */
  readonly definition: JsonObject
  readonly notes: readonly string[]
  /**
   * The skill of a new definition. To read 800 of them again would take a tenth of a plan's time.
   */
  readonly skill?: Skill
}

export const NO_CHANGES: PlannedSkill['merged'] = {
  breaking: [],
  changes: [],
  conflicts: [],
  edited: [],
}

/** The time of the last change of any of these skills; 0 if none is stored. */
export function findYoungestMs(skills: readonly Pick<PlannedSkill, 'stored'>[]): number {
  return Math.max(0, ...skills.map(({ stored }) => stored?.updatedAtMs ?? 0))
}

const LISTED_STATES: ReadonlySet<Json | undefined> = new Set([undefined, null, 'listed', 'review'])

/** UTF-8 bytes of the tools that are listed, as agents get them. */
export function countListBytes({ prefix }: Settings, skills: readonly PlannedSkill[]): number {
  let bytes = 0
  for (const { definition, kind, skill: read } of skills) {
    if (kind === 'deleted' || kind === 'disabled') continue
    if (!LISTED_STATES.has(definition['state'])) continue
    const skill = read ?? readSkill(definition, prefix)
    if (skill === undefined) continue
    const tool = toTool(skill, skill.skillId)
    const { annotations, description, name, outputSchema, title } = tool
    const inputSchema = mendSchema(tool.inputSchema, 'input')
    bytes += countBytes(
      JSON.stringify({ name, title, description, inputSchema, outputSchema, annotations }),
    )
  }
  return bytes
}

function readSkill(definition: JsonObject, prefix: string): Skill | undefined {
  const read = readStoredSkill({ definition } as SkillRecord, prefix)
  return read.ok ? read.value.skill : undefined
}

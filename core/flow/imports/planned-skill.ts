/** One skill of a plan, of whatever it is made, and the bytes that a plan's skills take in a tool list. */
import { mendedSchema } from '../../json/client-schemas.ts'
import type { JsonObject } from '../../json/json.ts'
import { bytesOf } from '../../json/text-bytes.ts'
import type { MergedTool } from '../../openapi/merge-tool.ts'
import type { Settings } from '../../settings.ts'
import type { Skill, SkillRecord } from '../../skills/skill.ts'
import { toolOfSkill } from '../../skills/skill-tool.ts'
import { readStoredSkill } from '../../skills/stored-skill.ts'

/** With what is to be stored. */
export type PlannedSkill = {
  readonly skillId: string
  /** Its operation, or its file. */
  readonly madeOf: string
  readonly stored: SkillRecord | undefined
  readonly merged: Pick<MergedTool, 'breaking' | 'changes' | 'conflicts' | 'edited'>
  readonly kind: 'added' | 'changed' | 'unchanged' | 'disabled' | 'deleted'
  readonly definition: JsonObject
  readonly notes: readonly string[]
  /** What a new definition was read as. To read 800 of them again would take a tenth of a plan. */
  readonly skill?: Skill
}

export const NO_CHANGES: PlannedSkill['merged'] = {
  breaking: [],
  changes: [],
  conflicts: [],
  edited: [],
}

export function youngestMsOf(skills: readonly Pick<PlannedSkill, 'stored'>[]): number {
  return Math.max(0, ...skills.map(({ stored }) => stored?.updatedAtMs ?? 0))
}

/** UTF-8 bytes of the tools that are listed, as agents get them. */
export function listBytesOf({ prefix }: Settings, skills: readonly PlannedSkill[]): number {
  let bytes = 0
  for (const { definition, kind, skill: known } of skills) {
    if (kind === 'deleted' || kind === 'disabled' || (definition['state'] ?? 'listed') !== 'listed')
      continue
    const skill = known ?? skillOf(definition, prefix)
    if (skill === undefined) continue
    const tool = toolOfSkill(skill, skill.skillId)
    const { annotations, description, name, outputSchema, title } = tool
    const inputSchema = mendedSchema(tool.inputSchema, 'input')
    bytes += bytesOf(
      JSON.stringify({ name, title, description, inputSchema, outputSchema, annotations }),
    )
  }
  return bytes
}

function skillOf(definition: JsonObject, prefix: string): Skill | undefined {
  const read = readStoredSkill({ definition } as SkillRecord, prefix)
  return read.ok ? read.value.skill : undefined
}

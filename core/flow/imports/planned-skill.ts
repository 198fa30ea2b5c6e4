/** One skill of a plan, of whatever it is made, and the bytes that a plan's skills take in a tool list. */
import type { JsonObject } from '../../json/json.ts'
import { bytesOf } from '../../json/text-bytes.ts'
import type { MergedTool } from '../../openapi/merge-tool.ts'
import type { Settings } from '../../settings.ts'
import type { SkillRecord } from '../../skills/skill.ts'
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
  for (const { definition, kind } of skills) {
    if (kind === 'deleted' || kind === 'disabled' || (definition['state'] ?? 'listed') !== 'listed')
      continue
    const read = readStoredSkill({ definition } as SkillRecord, prefix)
    if (!read.ok) continue
    const { annotations, description, inputSchema, name, outputSchema, title } = toolOfSkill(
      read.value.skill,
      read.value.skill.skillId,
    )
    bytes += bytesOf(
      JSON.stringify({ name, title, description, inputSchema, outputSchema, annotations }),
    )
  }
  return bytes
}

/**
 * Refuses to replace a working skill by a text with a probable mistake. A new skill only gets a warning; a
 * working one would change under its users, and nobody reads the warnings of a script.
 */
import { type Result, refuse } from '../../errors.ts'
import type { Settings } from '../../settings.ts'
import { newSlips } from '../../skills/definition/likely-mistakes.ts'
import { isRunnable, type ReadSkill } from '../../skills/definition/read-skill.ts'
import type { SkillRecord } from '../../skills/skill.ts'
import { readStoredSkill } from '../../skills/stored-skill.ts'

/** Undefined: `sent` may take the place of `old`. */
export function overwriteFault(
  { prefix }: Settings,
  old: SkillRecord | undefined,
  { slips }: ReadSkill,
): Result<never> | undefined {
  if (slips.length === 0 || old === undefined) return undefined
  const before = readStoredSkill(old, prefix)
  if (!before.ok || !isRunnable(before.value.skill)) return undefined
  const faults = newSlips(slips, before.value.slips)
  const [first] = faults
  if (first === undefined) return undefined
  const detail = `${old.skillId} works, and this text is probably mistaken: ${first.pointer} ${first.message}. Nothing was changed. Correct it, or send ?strict=false to replace the skill all the same.`
  return refuse('invalid_skill', detail, { faults })
}

/**
 * Warns at a sync that a private skill which cannot be called hides the official or market skill of its id: a private skill
 * takes precedence whether it works or not, so its owner would lose a tool that works.
 */
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import { isRunnable } from '../../skills/definition/read-skill.ts'
import type { SkillRecord } from '../../skills/skill.ts'
import { readStoredSkill } from '../../skills/stored-skill.ts'

export async function warnHidden(
  { skills }: { readonly skills: Pick<Ports['skills'], 'get'> },
  { prefix }: Pick<Settings, 'prefix'>,
  record: SkillRecord,
): Promise<readonly string[]> {
  const { skillId, source, uid = '' } = record
  const why = source === 'private' ? whyNotCalled(record, prefix) : undefined
  if (why === undefined) return []
  const hidden =
    (await skills.get({ source: 'official', skillId })) ??
    (await skills.get({ source: 'market', skillId }))
  if (hidden === undefined) return []
  return [
    `id: this skill ${why}, and it hides the ${hidden.source} skill ${skillId} from its owner, whose calls of that name are refused. Correct it, or remove it with DELETE skills/private/${skillId}?uid=${uid}`,
  ]
}

function whyNotCalled(record: SkillRecord, prefix: string): string | undefined {
  const read = readStoredSkill(record, prefix)
  if (!read.ok || !isRunnable(read.value.skill)) return 'cannot run in this build'
  return read.value.skill.state === 'disabled' ? 'is disabled' : undefined
}

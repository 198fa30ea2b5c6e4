/** The stored skill that a sent one would replace; undefined for a new or faulty one, and for several skills. */
import { ok, type Result } from '../../errors.ts'
import type { Settings } from '../../settings.ts'
import { readSentSkills } from './sent-skills.ts'
import { type SkillView, viewOf } from './skill-view.ts'
import type { SyncNeeds, SyncRequest } from './sync-skill.ts'
import { validateSkill } from './validate-skill.ts'

export async function showSentSkill(
  ports: SyncNeeds,
  settings: Settings,
  request: SyncRequest,
): Promise<Result<SkillView | undefined>> {
  const sent = readSentSkills(request)
  if (!sent.ok || sent.value.kind === 'many') return ok(undefined)
  const read = await validateSkill(ports, settings, sent.value.request)
  if (!read.ok) return read
  const { skillId, source } = read.value.skill
  const { uid } = sent.value.request
  const owner = source === 'private' && uid !== undefined ? { uid } : {}
  const record = await ports.skills.get({ source, skillId, ...owner })
  return ok(record === undefined ? undefined : viewOf(record))
}

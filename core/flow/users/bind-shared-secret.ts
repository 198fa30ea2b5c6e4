/**
 * Makes the binding of a shared secret that is being set: only official skills, at the origins of
 * the secret's own skill and at those that the administrator names. A secret for all official
 * skills goes only to the named origins, because a skill that is synced later must not send it
 * elsewhere. Bound by docs/service.md, Shared secrets, and ADR 0047.
 */
import { ok, type Result, refuse } from '../../errors.ts'
import { badBody } from '../../json/body-fields.ts'
import type { SecretBinding } from '../../secrets/secret-binding.ts'
import { readStoredSkill } from '../../skills/stored-skill.ts'
import { type BindNeeds, withinLimits } from './bind-secret.ts'
import { skillOrigins } from './skill-origins.ts'

/**
 * `named` are origins. Refuses with `not_found` an unknown skill, and a binding without origins.
 */
export async function bindSharedSecret(
  ports: BindNeeds,
  { prefix, skillId }: { readonly prefix: string; readonly skillId: string | undefined },
  named: readonly string[],
): Promise<Result<SecretBinding>> {
  const origins =
    skillId === undefined ? ok(named) : await addSkillOrigins(ports, { prefix, skillId }, named)
  if (!origins.ok) return origins
  if (origins.value.length === 0) return badBody([NO_ORIGINS])
  return withinLimits({ tier: 'official', origins: origins.value, marketSkills: [] })
}

async function addSkillOrigins(
  ports: BindNeeds,
  { prefix, skillId }: { readonly prefix: string; readonly skillId: string },
  named: readonly string[],
): Promise<Result<readonly string[]>> {
  const record = await ports.skills.get({ source: 'official', skillId })
  if (record === undefined) {
    return refuse(
      'not_found',
      `skill: there is no official skill ${skillId}, and shared secrets serve no other. Sync the skill first: POST /v1/admin/sync_skill.`,
    )
  }
  const read = readStoredSkill(record, prefix)
  if (!read.ok) return read
  return ok([...new Set([...skillOrigins(ports, read.value.skill), ...named])])
}

const NO_ORIGINS = {
  pointer: '/origins',
  message: 'must name where a secret for all official skills may be sent, or send ?skill=',
}

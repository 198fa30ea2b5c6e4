/**
 * Warns at a sync of stored secrets that the skill's calls can no longer use: the sync stands, and those calls
 * are refused until somebody confirms (ADR 0033). Changes nothing.
 *
 * The owner of a private skill is one user, whose secrets are read. Secrets for a shared skill are
 * stored by user, so counting their users would scan the table: there the origins of the version before are
 * compared, and the text says that the number is not known.
 */
import type { Ports } from '../../ports/ports.ts'
import type { Hooks } from '../../ports/registry.ts'
import { pickSecrets } from '../../secrets/pick-secrets.ts'
import { bindingFault, readBinding } from '../../secrets/secret-binding.ts'
import type { Skill, SkillRecord } from '../../skills/skill.ts'
import { readStoredSkill } from '../../skills/stored-skill.ts'
import { skillOrigins, skillSecretNames } from '../users/skill-origins.ts'

type Needs = Pick<Ports, 'secrets'> & {
  readonly hooks: Pick<Hooks, 'secretNames' | 'urls'>
}

type SyncedSkill = {
  readonly skill: Skill
  /** Owner of a private skill. */
  readonly uid: string | undefined
  /** The version that this sync replaced; undefined: none, or it was the same. */
  readonly before: SkillRecord | undefined
  readonly prefix: string
}

export async function warnSecrets(ports: Needs, synced: SyncedSkill): Promise<readonly string[]> {
  const names = skillSecretNames(ports, synced.skill)
  if (names.length === 0) return []
  const { skill, uid } = synced
  return skill.source === 'private' && uid !== undefined
    ? warnOwner(ports, { skill, uid, names })
    : warnShared(ports, synced, names)
}

async function warnOwner(
  ports: Needs,
  of: { readonly skill: Skill; readonly uid: string; readonly names: readonly string[] },
): Promise<readonly string[]> {
  const { names, skill, uid } = of
  const { skillId, source } = skill
  const use = { skillId, source, origins: skillOrigins(ports, skill) }
  const { picked } = pickSecrets(await ports.secrets.list(uid), { skillId, names })
  const refused = picked.filter(
    ({ binding }) => bindingFault(readBinding(binding), use) !== undefined,
  )
  if (refused.length === 0) return []
  const shown = refused.map(({ name }) => name).join(', ')
  return [
    `secrets: ${shown} of 1 user, ${uid}, was not set for ${use.origins.join(' and ')}. Calls are refused, with nothing sent and nothing charged, until the person who set it, or an administrator, sets it again: PUT /v1/admin/users/${uid}/secrets/{name}.`,
  ]
}

function warnShared(
  ports: Needs,
  { before, prefix, skill }: SyncedSkill,
  names: readonly string[],
): readonly string[] {
  const read = before === undefined ? undefined : readStoredSkill(before, prefix)
  if (read?.ok !== true) return []
  const known = skillOrigins(ports, read.value.skill)
  const added = skillOrigins(ports, skill).filter((origin) => !known.includes(origin))
  if (added.length === 0) return []
  return [
    `secrets: ${names.join(', ')} would now be sent to ${added.join(' and ')}. Calls of every user who set one for ${known.join(' and ')} are refused, with nothing sent and nothing charged, until the person who set it, or an administrator, sets it again: PUT /v1/admin/users/{uid}/secrets/{name}. Skillgate does not count these users, since secrets are stored by user.`,
  ]
}

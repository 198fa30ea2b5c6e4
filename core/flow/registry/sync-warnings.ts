/**
 * Warnings in the answer of a sync that succeeds, about secrets and about a hidden skill. Changes
 * nothing.
 *
 * - Stored secrets that the skill's calls can no longer use: these calls are refused until somebody
 *   confirms the secret (ADR 0033). For a private skill the secrets of its owner are read. For a
 *   shared skill the origins of the last version are compared, since secrets are stored by user and
 *   a count of users would scan the table.
 * - A private skill that cannot be called but hides the official or market skill of its id: a
 *   private skill takes precedence whether it works or not, so its owner would lose a tool.
 */
import type { Ports } from '../../ports/ports.ts'
import type { Hooks } from '../../ports/registry.ts'
import { pickSecrets } from '../../secrets/pick-secrets.ts'
import { checkBinding, readBinding } from '../../secrets/secret-binding.ts'
import type { Settings } from '../../settings.ts'
import { isRunnable } from '../../skills/definition/read-skill.ts'
import type { Skill, SkillRecord } from '../../skills/skill.ts'
import { readStoredSkill } from '../../skills/stored-skill.ts'
import { listSkillOrigins, listSkillSecretNames } from '../users/skill-origins.ts'

type Needs = Pick<Ports, 'secrets'> & {
  readonly hooks: Pick<Hooks, 'secretNames' | 'urls'>
}

type SyncedSkill = {
  readonly skill: Skill
  /** Owner of a private skill. */
  readonly uid: string | undefined
  /** The version that this sync replaced; undefined if the skill is new or unchanged. */
  readonly before: SkillRecord | undefined
  readonly prefix: string
}

/** Warns of secrets that calls can no longer use. Throws `Fault` if the store fails. */
export async function warnSecrets(ports: Needs, synced: SyncedSkill): Promise<readonly string[]> {
  const names = listSkillSecretNames(ports, synced.skill)
  if (names.length === 0) return []
  const { skill, uid } = synced
  return skill.source === 'private' && uid !== undefined
    ? warnOwner(ports, { skill, uid, names })
    : warnShared(ports, synced, names)
}

async function warnOwner(
  ports: Needs,
  {
    names,
    skill,
    uid,
  }: { readonly skill: Skill; readonly uid: string; readonly names: readonly string[] },
): Promise<readonly string[]> {
  const { skillId, source } = skill
  const use = { skillId, source, origins: listSkillOrigins(ports, skill) }
  const { picked } = pickSecrets(await ports.secrets.list(uid), { skillId, names })
  const refused = picked.filter(
    ({ binding }) => checkBinding(readBinding(binding), use) !== undefined,
  )
  if (refused.length === 0) return []
  const shown = refused.map(({ name }) => name).join(', ')
  return [
    `secrets: ${shown} of 1 user, ${uid}, was not set for ${use.origins.join(' and ')}. Calls are refused, with nothing sent and nothing charged, until the person who set it, or an administrator, sets it again.`,
  ]
}

function warnShared(
  ports: Needs,
  { before, prefix, skill }: SyncedSkill,
  names: readonly string[],
): readonly string[] {
  const read = before === undefined ? undefined : readStoredSkill(before, prefix)
  if (read?.ok !== true) return []
  const former = listSkillOrigins(ports, read.value.skill)
  const added = listSkillOrigins(ports, skill).filter((origin) => !former.includes(origin))
  if (added.length === 0) return []
  return [
    `secrets: ${names.join(', ')} would now be sent to ${added.join(' and ')}. Calls of every user who set one for ${former.join(' and ')} are refused, with nothing sent and nothing charged, until the person who set it, or an administrator, sets it again. Skillgate does not count these users, since secrets are stored by user.`,
  ]
}

/** Warns of a private skill that hides a shared one. Throws `Fault` if the store fails. */
export async function warnHidden(
  { skills }: { readonly skills: Pick<Ports['skills'], 'get'> },
  { prefix }: Pick<Settings, 'prefix'>,
  record: SkillRecord,
): Promise<readonly string[]> {
  const { skillId, source } = record
  const why = source === 'private' ? whyNotCallable(record, prefix) : undefined
  if (why === undefined) return []
  const hidden =
    (await skills.get({ source: 'official', skillId })) ??
    (await skills.get({ source: 'market', skillId }))
  if (hidden === undefined) return []
  return [
    `id: this skill ${why}, and it hides the ${hidden.source} skill ${skillId} from its owner, whose calls of that name are refused. Correct it, or delete it`,
  ]
}

function whyNotCallable(record: SkillRecord, prefix: string): string | undefined {
  const read = readStoredSkill(record, prefix)
  if (!read.ok || !isRunnable(read.value.skill)) return 'cannot run in this build'
  const { state } = read.value.skill
  if (state === 'review') return 'waits for an administrator'
  return state === 'disabled' ? 'is disabled' : undefined
}

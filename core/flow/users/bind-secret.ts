/**
 * Makes the binding of a secret, of a user or shared, that is being set. It has the tier and the
 * origins of the secret's skill as the store has it now, and the origins and skills that the
 * administrator adds. Refuses a skill that does not exist. Bound by docs/service.md, Secrets, and
 * ADR 0033.
 *
 *   set:   skill read (origin A) ──────────── sealed for A ── written     calls to B are refused
 *   sync:         └── put (origin B) ──┘
 *
 * If the skill is synced or deleted in between, the binding is that of the skill that was read: too
 * narrow, never too wide.
 */
import { ok, type Result, refuse } from '../../errors.ts'
import { refuseBody } from '../../json/body-fields.ts'
import { countBytes } from '../../json/text-bytes.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Hooks } from '../../ports/registry.ts'
import { SECRET_BINDING_BYTES_MAX, SECRET_ORIGINS_MAX } from '../../secrets/limits.ts'
import { type SecretBinding, writeBinding } from '../../secrets/secret-binding.ts'
import type { Skill, SkillSource } from '../../skills/skill.ts'
import { readStoredSkill } from '../../skills/stored-skill.ts'
import { resolve } from '../../skills/visible.ts'
import type { SecretBody } from './read-secret.ts'
import { listSkillOrigins } from './skill-origins.ts'

export type BindNeeds = Pick<Ports, 'skills'> & {
  readonly hooks: Pick<Hooks, 'secretNames' | 'urls'>
}

type BindRequest = {
  readonly uid: string
  readonly prefix: string
  readonly skillId: string | undefined
}

/** Refuses with `not_found` an unknown skill, and with `invalid_arguments` a bad body. */
export async function bindSecret(
  ports: BindNeeds,
  { prefix, skillId, uid }: BindRequest,
  body: Pick<SecretBody, 'marketSkills' | 'origins'>,
): Promise<Result<SecretBinding>> {
  const bound =
    skillId === undefined
      ? await bindGlobal(ports, body)
      : await bindToSkill(ports, { prefix, skillId, uid }, body)
  return bound.ok ? checkBindingLimits(bound.value) : bound
}

/** Refuses a binding with more origins or a longer text than the store has room for. */
export function checkBindingLimits(binding: SecretBinding): Result<SecretBinding> {
  if (binding.origins.length > SECRET_ORIGINS_MAX) return refuseBody([TOO_MANY_ORIGINS])
  const bytes = countBytes(writeBinding(binding))
  return bytes <= SECRET_BINDING_BYTES_MAX ? ok(binding) : refuseBody([TOO_LONG])
}

async function bindToSkill(
  ports: BindNeeds,
  { prefix, skillId, uid }: BindRequest & { readonly skillId: string },
  { marketSkills, origins }: Pick<SecretBody, 'marketSkills' | 'origins'>,
): Promise<Result<SecretBinding>> {
  if (marketSkills.length > 0) return refuseBody([NOT_GLOBAL])
  const found = await findSkillOfUser(ports, { prefix, skillId, uid })
  if (!found.ok) return found
  const { skill, source } = found.value
  const allOrigins = new Set([...listSkillOrigins(ports, skill), ...origins])
  return ok({ tier: source, origins: [...allOrigins], marketSkills: [] })
}

/** The skill that a call with this user's key would run. Refuses with `not_found` an unknown one. */
export async function findSkillOfUser(
  { skills }: Pick<Ports, 'skills'>,
  { prefix, skillId, uid }: BindRequest & { readonly skillId: string },
): Promise<Result<{ readonly skill: Skill; readonly source: SkillSource }>> {
  const [own, official, market] = await Promise.all([
    skills.get({ source: 'private', skillId, uid }),
    skills.get({ source: 'official', skillId }),
    skills.get({ source: 'market', skillId }),
  ])
  const record = resolve({ private: own, official, market })
  if (record === undefined) return refuseUnknownSkill(skillId)
  const read = readStoredSkill(record, prefix)
  return read.ok ? ok({ skill: read.value.skill, source: record.source }) : read
}

async function bindGlobal(
  { skills }: BindNeeds,
  { marketSkills, origins }: Pick<SecretBody, 'marketSkills' | 'origins'>,
): Promise<Result<SecretBinding>> {
  if (marketSkills.length > 0 && origins.length === 0) return refuseBody([NO_ORIGINS])
  const found = await Promise.all(
    marketSkills.map((skillId) => skills.get({ source: 'market', skillId })),
  )
  const faults = marketSkills.flatMap((_skillId, index) =>
    found[index] === undefined
      ? [{ pointer: `/marketSkills/${index}`, message: 'is not the id of a market skill' }]
      : [],
  )
  if (faults.length > 0) return refuseBody(faults)
  return ok({ tier: undefined, origins, marketSkills })
}

const NOT_GLOBAL = {
  pointer: '/marketSkills',
  message: 'goes with a secret for all skills; leave it out, or name no skill',
}
const NO_ORIGINS = {
  pointer: '/origins',
  message: 'must name the origins of the market skills, so that none of them takes it elsewhere',
}
const TOO_MANY_ORIGINS = {
  pointer: '/origins',
  message: `must be ${SECRET_ORIGINS_MAX} at most, those of the skill among them`,
}
const TOO_LONG = {
  pointer: '/origins',
  message: `are, with marketSkills, more than ${SECRET_BINDING_BYTES_MAX} bytes; set the secret for each skill`,
}

function refuseUnknownSkill(skillId: string): Result<never> {
  return refuse(
    'not_found',
    `skill: this user has no skill ${skillId}, so a secret for it would be sent nowhere.`,
    { remedy: { code: 'sync_skill' } },
  )
}

/**
 * Makes the binding of a shared secret that is being set: only official skills, at the origins of
 * the secret's own skill and at those that the administrator names. A secret for all official
 * skills goes only to the named origins, because a skill that is synced later must not send it
 * elsewhere. Bound by docs/service.md, Shared secrets, and ADR 0047. `named` are origins. Refuses
 * with `not_found` an unknown skill, and a binding without origins.
 */
export async function bindSharedSecret(
  ports: BindNeeds,
  { prefix, skillId }: { readonly prefix: string; readonly skillId: string | undefined },
  named: readonly string[],
): Promise<Result<SecretBinding>> {
  const origins =
    skillId === undefined ? ok(named) : await addSkillOrigins(ports, { prefix, skillId }, named)
  if (!origins.ok) return origins
  if (origins.value.length === 0) return refuseBody([NO_SHARED_ORIGINS])
  return checkBindingLimits({ tier: 'official', origins: origins.value, marketSkills: [] })
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
      `skill: there is no official skill ${skillId}, and shared secrets serve no other.`,
      { remedy: { code: 'sync_skill' } },
    )
  }
  const read = readStoredSkill(record, prefix)
  if (!read.ok) return read
  return ok([...new Set([...listSkillOrigins(ports, read.value.skill), ...named])])
}

const NO_SHARED_ORIGINS = {
  pointer: '/origins',
  message: 'must name where a secret for all official skills may be sent, or name the skill',
}

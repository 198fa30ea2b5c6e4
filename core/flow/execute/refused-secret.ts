/**
 * Words the failure of a call whose skill may not use a secret: the reason, and the request that
 * would allow the use. Contains names, tiers and origins, never a value. Bound by docs/service.md,
 * Secrets.
 */

import type { FoundSecret } from '../../secrets/secret.ts'
import type { BindingRefusal, SecretUse } from '../../secrets/secret-binding.ts'

type Wanted = SecretUse & { readonly uid: string }

/** One line for the caller: which secret, why not, and the remedy. */
export function writeRefusedText(
  fault: BindingRefusal,
  wanted: Wanted,
  secret: Pick<FoundSecret, 'isShared' | 'name' | 'skillId'>,
): string {
  const { name, skillId } = secret
  const path = toSecretPath(wanted.uid, secret)
  const own = toSkillQuery(wanted.skillId)
  const place = skillId === undefined ? path : `${path}?${own}`
  return `secret ${name}: ${writeReason(fault, wanted)}. Nothing was sent. ${writeRemedy(fault, { path, own, place })}`
}

function writeReason(fault: BindingRefusal, { skillId, source }: Wanted): string {
  switch (fault.kind) {
    case 'unbound':
      return 'has a binding to a tier and origins that this gateway cannot read'
    case 'tier':
      return `was set for the ${fault.tier} skill ${skillId}, and this one is ${source}`
    case 'market':
      return `is for all official and private skills, and ${skillId} is a market skill`
    case 'origin':
      return `may not be sent to ${fault.origin}, where this skill sends it`
    case 'login':
      return 'is a login of the user, which only tools with that login use'
    default:
      return fault satisfies never
  }
}

/** `own` is the query for this skill; `place` is the path at which the secret was set. */
type RemedyPaths = { readonly path: string; readonly own: string; readonly place: string }

function writeRemedy({ kind }: BindingRefusal, { own, path, place }: RemedyPaths): string {
  if (kind === 'login') return 'The tool needs a secret of another name.'
  if (kind === 'market') {
    return `The user or an administrator confirms it by setting it for this skill, PUT ${path}?${own}, or for all with this skill in "marketSkills".`
  }
  const named = kind === 'origin' ? ', which takes the skill\'s origins or those in "origins"' : ''
  return `The person who set it, or an administrator, confirms it by setting it again: PUT ${place}${named}.`
}

/** The path of the admin API at which this secret is set. */
export function toSecretPath(
  uid: string,
  { isShared, name }: Pick<FoundSecret, 'isShared' | 'name'>,
): string {
  return isShared === true ? `/v1/admin/secrets/${name}` : `/v1/admin/users/${uid}/secrets/${name}`
}

/** The query of that path, for a secret of one skill. */
export function toSkillQuery(skillId: string): string {
  return `skill=${encodeURIComponent(skillId.toWellFormed())}`
}

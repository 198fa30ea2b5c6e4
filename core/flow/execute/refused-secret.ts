/**
 * Words the failure of a call whose skill may not use a secret: the reason, and for administrators
 * what would allow the use. Contains names, tiers and origins, never a value. Bound by
 * docs/service.md, Secrets.
 */

import type { Remedy } from '../../remedies/remedy.ts'
import type { FoundSecret } from '../../secrets/secret.ts'
import type { BindingRefusal, SecretUse } from '../../secrets/secret-binding.ts'

type Wanted = SecretUse & { readonly uid: string }

/** Which secret, and why not: for whoever reads it. */
export function writeRefusedText(
  fault: BindingRefusal,
  wanted: Wanted,
  { name }: Pick<FoundSecret, 'name'>,
): string {
  const other = fault.kind === 'login' ? ' The tool needs a secret of another name.' : ''
  return `secret ${name}: ${writeReason(fault, wanted)}. Nothing was sent.${other}`
}

/** Who can allow it, in words for an agent; nothing for a login. */
export function writeConfirmation({ kind }: BindingRefusal): string {
  if (kind === 'login') return ''
  const how = kind === 'market' ? 'setting it for this skill' : 'setting it again'
  return ` The person who set it, or the administrator of this gateway, confirms it by ${how}.`
}

/** What an administrator does; nothing for a login, which no setting makes another secret. */
export function findRefusedRemedy(
  { kind }: BindingRefusal,
  wanted: Wanted,
  { isShared, name, skillId }: Pick<FoundSecret, 'isShared' | 'name' | 'skillId'>,
): Remedy | undefined {
  if (kind === 'login') return undefined
  const isOwn = kind === 'market' || skillId !== undefined
  return {
    code: 'confirm_secret',
    ...(isShared === true ? {} : { uid: wanted.uid }),
    name,
    ...(isOwn ? { skill: wanted.skillId } : {}),
  }
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

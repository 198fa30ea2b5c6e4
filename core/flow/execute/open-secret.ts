/**
 * One secret of a call: what is wanted of it, how it is opened, and what a call without it says. A
 * file of its own, because loading secrets and renewing logins both need it.
 */
import { err, type Result } from '../../errors.ts'
import type { Ports } from '../../ports/ports.ts'
import type { SecretSeals } from '../../ports/secrets.ts'
import { type FoundSecret, GLOBAL_SKILL_ID, type SealFailure } from '../../secrets/secret.ts'
import {
  type BindingRefusal,
  checkBinding,
  readBinding,
  type SecretUse,
} from '../../secrets/secret-binding.ts'
import type { SecretsFailure } from './loaded-secrets.ts'

export type OpenNeeds = Pick<Ports, 'log'> & {
  readonly secrets: Pick<Ports['secrets'], 'find'>
  readonly secretSeals: Pick<SecretSeals, 'open'>
}

/** `uid` is the owner of the call's API key, never a value that a caller sent. */
export type SecretsWanted = SecretUse & {
  readonly uid: string
  readonly names: readonly string[]
  /** The one of the names that is a login, and what its tokens are for. */
  readonly login?: LoginWanted | undefined
}

export type LoginWanted = { readonly name: string; readonly resource: string }

/** The part of a stored secret that decides whether a call may use it. */
type BoundSecret = Pick<FoundSecret, 'binding' | 'isShared' | 'name'>

/** Any other secret with the name of a login is passed over, and the user is asked to log in. */
export function isUsableLogin(wanted: SecretsWanted, secret: BoundSecret): boolean {
  if (secret.name !== wanted.login?.name) return true
  const binding = readBinding(secret.binding)
  const isLogin = secret.isShared !== true && binding?.login === wanted.login.resource
  return isLogin && checkBinding(binding, wanted) === undefined
}

/** Why this call may not use the secret; undefined if it may. No template sends the tokens of a login. */
export function checkUse(wanted: SecretsWanted, secret: BoundSecret): BindingRefusal | undefined {
  const binding = readBinding(secret.binding)
  const isOther = binding?.login !== undefined && secret.name !== wanted.login?.name
  return isOther ? { kind: 'login' } : checkBinding(binding, wanted)
}

/** Decrypts one stored secret. Never throws: a key service that throws gives `unavailable`. */
export async function openSecret(
  ports: Pick<OpenNeeds, 'secretSeals'>,
  { uid }: Pick<SecretsWanted, 'uid'>,
  { binding = '', isShared, name, sealed, skillId }: FoundSecret,
): Promise<Result<string, SealFailure>> {
  const place = {
    uid: isShared === true ? undefined : uid,
    skillId: skillId ?? GLOBAL_SKILL_ID,
    name,
  }
  try {
    return await ports.secretSeals.open({ ...place, binding }, sealed)
  } catch (cause) {
    return err({ why: 'unavailable', cause })
  }
}

/** Names shown in one text: a longer list would hide the remedy. */
const MISSING_SHOWN_MAX = 5

/** The failure of a call whose secrets are not set, in words for an agent. */
export function toMissingFailure(missing: readonly string[]): SecretsFailure {
  const it = missing.length === 1 ? 'it' : 'them'
  const detail = `${writeMissingText(missing)} Ask the administrator of this gateway to set ${it}.`
  return { code: 'secret_missing', missing, detail }
}

/** Names what is not set. */
export function writeMissingText(missing: readonly string[]): string {
  if (missing.length === 1) return `secret ${missing[0]}: is not set for this user.`
  const shown = missing.slice(0, MISSING_SHOWN_MAX).join(', ')
  const more = missing.length - MISSING_SHOWN_MAX
  return `secrets ${shown}${more > 0 ? ` and ${more} more` : ''}: are not set for this user.`
}

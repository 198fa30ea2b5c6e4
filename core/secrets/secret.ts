/**
 * A secret of a user, or of the gateway for users who have none: a name and a value. The value is in the clear only inside one call of execute
 * and inside one request of an administrator. Bound by docs/service.md, Secrets.
 */

/**
 * The context a sealed value is bound to. `skillId` is GLOBAL when all skills may use the secret.
 */
export type SecretContext = {
  /** Undefined for a shared secret: its context has other fields, so neither opens as the other. */
  readonly uid: string | undefined
  readonly skillId: string
  readonly name: string
  /** Text of the binding ({@link bindingText}): what the value may be used for. */
  readonly binding: string
}

/**
 * Takes the place of a skill id; no skill id equals it, since each begins with the service's
 * prefix.
 */
export const GLOBAL = '-'

export type StoredSecret = {
  /** Undefined for a global secret. */
  readonly skillId: string | undefined
  readonly name: string
  readonly sealed: Uint8Array
  readonly updatedAtMs: number
  /** What it may be used for: a text that stores keep as it is (secret-binding.ts). */
  readonly binding: string
}

/** The part of a secret that lists show. */
export type SecretDate = Omit<StoredSecret, 'sealed'>

/** The value before the last one, which an upstream may still want. */
export type PreviousSecret = Pick<StoredSecret, 'binding' | 'sealed'> & {
  readonly untilMs: number
}

/** A secret as a call finds it. */
export type FoundSecret = StoredSecret & {
  readonly isShared?: true
  readonly previous?: PreviousSecret
}

/** A shared secret as it is set. */
export type SharedSecret = StoredSecret & {
  readonly binding: string
  /** Name of the credential that set it. */
  readonly setBy: string
}

/** The part of a shared secret that lists show. */
export type SharedSecretDate = Omit<SharedSecret, 'sealed'> & {
  /** Until when the value before this one may be used; undefined: there is none. */
  readonly previousUntilMs: number | undefined
  /** Day of the last use, counted from 1970; undefined before the first. */
  readonly lastUsedDay: number | undefined
}

/** Which of the secrets of one name a call used. */
export type SecretFrom = 'user-skill' | 'user' | 'shared-skill' | 'shared'

export type SecretUsed = { readonly name: string; readonly from: SecretFrom }

/**
 * The reason why sealing or opening failed. `cause` is for the log and holds no part of the value.
 */
export type SealFailure = {
  /**
   * `denied`: the key may not be used (policy, disabled, deleted, file with wrong permissions).
   * `foreign`: sealed for another user, skill, name or binding or under another key, or changed since.
   * `unavailable`: the key service does not answer, or throttles.
   */
  readonly why: 'denied' | 'foreign' | 'unavailable'
  readonly cause: unknown
}

/** The form in templates: `{{secrets.NAME}}`. */
export const SECRET_NAME_PATTERN = '^[A-Z][A-Z0-9_]{0,63}$'

export const SECRET_NAME_RULE = '1 to 64 characters of A-Z, 0-9 and _, a letter first'

const SECRET_NAME = new RegExp(SECRET_NAME_PATTERN)

export function isSecretName(text: string): boolean {
  return SECRET_NAME.test(text)
}

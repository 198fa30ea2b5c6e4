/**
 * A user's secret: a name and a value. The value is in the clear only inside one call of execute
 * and inside one request of an administrator. Bound by docs/service.md, Secrets.
 */

/**
 * The context a sealed value is bound to. `skillId` is GLOBAL when all skills may use the secret.
 */
export type SecretContext = {
  readonly uid: string
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
  /**
   * What it may be used for: a text that stores keep as it is (secret-binding.ts). Undefined for one
   * that was set before secrets had a binding.
   */
  readonly binding: string | undefined
}

/** The part of a secret that lists show. */
export type SecretDate = Omit<StoredSecret, 'sealed'>

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

export const SECRET_NAME_RULE = '1 to 64 of A-Z, 0-9 and _, a letter first'

const SECRET_NAME = new RegExp(SECRET_NAME_PATTERN)

export function isSecretName(text: string): boolean {
  return SECRET_NAME.test(text)
}

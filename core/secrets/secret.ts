/**
 * A secret of a user: a name, and a value that exists in the clear only inside one call of execute
 * and one request of an administrator. Bound by docs/service.md, Secrets.
 */

/** What a sealed value is bound to. `skillId` is GLOBAL for one that all skills may use. */
export type SecretContext = {
  readonly uid: string
  readonly skillId: string
  readonly name: string
  /** Text of the binding ({@link bindingText}): what the value may be used for. */
  readonly binding: string
}

/** Stands where a skill's id would: every skill id begins with the service's prefix. */
export const GLOBAL = '-'

export type StoredSecret = {
  /** Undefined for a global one. */
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

/** What lists show of one. */
export type SecretDate = Omit<StoredSecret, 'sealed'>

/** Why a value could not be sealed or opened. `cause` is for the log and holds no part of the value. */
export type SealFailure = {
  /**
   * `denied`: the key may not be used (policy, switched off, gone, file with wrong rights).
   * `foreign`: sealed for another user, skill, name or binding, under another key, or changed since.
   * `unavailable`: the key service does not answer, or throttles.
   */
  readonly why: 'denied' | 'foreign' | 'unavailable'
  readonly cause: unknown
}

/** As templates spell it: `{{secrets.NAME}}`. */
export const SECRET_NAME_PATTERN = '^[A-Z][A-Z0-9_]{0,63}$'

export const SECRET_NAME_RULE = '1 to 64 of A-Z, 0-9 and _, a letter first'

const SECRET_NAME = new RegExp(SECRET_NAME_PATTERN)

export function isSecretName(text: string): boolean {
  return SECRET_NAME.test(text)
}

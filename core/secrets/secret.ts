/**
 * A secret of a user: a name, and a value that exists in the clear only inside one call of execute
 * and one request of an administrator. Bound by design section 4 (Secrets).
 */

/** What a sealed value is bound to. `skillId` is GLOBAL for one that all skills may use. */
export type SecretContext = {
  readonly uid: string
  readonly skillId: string
  readonly name: string
}

/** Stands where a skill's id would: no skill id begins with a dash. */
export const GLOBAL = '-'

export type StoredSecret = {
  /** Undefined for a global one. */
  readonly skillId: string | undefined
  readonly name: string
  readonly sealed: Uint8Array
  readonly updatedAtMs: number
}

/** As templates spell it: `{{secrets.NAME}}`. */
const SECRET_NAME = /^[A-Z][A-Z0-9_]{0,63}$/

export function isSecretName(text: string): boolean {
  return SECRET_NAME.test(text)
}

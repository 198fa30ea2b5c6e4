/**
 * Rules for names that administrators choose: user names and identities that people read, and
 * identifiers that are parts of store keys.
 */
import { type Result, refuse } from '../errors.ts'
import { explainHiddenText } from '../json/hidden-text.ts'

/** Code points. A longer name leaves no room for the skill in `{username}_{skillId}`. */
export const USERNAME_CHARS_MAX = 40
/** Characters of a user id, a grant id or a tier. Each is part of a key in the store. */
export const IDENTIFIER_CHARS_MAX = 64
/** 256 bits: 43 base64url characters after `sgk_`. */
export const KEY_BYTES = 32

/** The rule for identifiers as a JSON Schema pattern, for the schemas of the admin function. */
export const IDENTIFIER_PATTERN = `^[A-Za-z0-9_-]{1,${IDENTIFIER_CHARS_MAX}}$`
export const IDENTIFIER_RULE = `must be 1 to ${IDENTIFIER_CHARS_MAX} characters of A-Z, a-z, 0-9, - and _`
export const USERNAME_RULE = `must be 1 to ${USERNAME_CHARS_MAX} characters, none of them hidden`

const IDENTIFIER = new RegExp(IDENTIFIER_PATTERN)

/** True for the text of an identifier. */
export function isIdentifier(value: unknown): value is string {
  return typeof value === 'string' && IDENTIFIER.test(value)
}

/**
 * A username as lists sort it and claims compare it: in lower case, in Unicode's form NFC and
 * without spaces at its ends.
 */
export function foldName(username: string): string {
  return username.normalize('NFC').trim().toLowerCase().normalize('NFC')
}

/**
 * Code points. E-mail addresses and subjects of identity providers are shorter; a store key is not
 * long enough for more.
 */
export const IDENTITY_CHARS_MAX = 160
export const IDENTITY_RULE = `must be 1 to ${IDENTITY_CHARS_MAX} characters, none of them hidden, without spaces at its ends`

/** Two identities that differ only in case are one, because people type e-mail addresses. */
export function foldIdentity(identity: string): string {
  return foldName(identity)
}

/** True for 1 to IDENTITY_CHARS_MAX visible characters without spaces at the ends. */
export function isIdentity(value: unknown): value is string {
  if (typeof value !== 'string' || value === '' || value.trim() !== value) return false
  return [...value].length <= IDENTITY_CHARS_MAX && explainHiddenText(value) === undefined
}

/** True for 1 to USERNAME_CHARS_MAX visible characters, not all of them spaces. */
export function isUsername(value: unknown): value is string {
  if (typeof value !== 'string' || value.trim() === '') return false
  return [...value].length <= USERNAME_CHARS_MAX && explainHiddenText(value) === undefined
}

/** A refusal with `not_found`. Only administrators may see it. */
export function refuseUnknownUser(uid: string): Result<never> {
  const detail = `uid: there is no user ${JSON.stringify(uid.slice(0, 64))}.`
  const remedy = { code: 'create_user', ...(isIdentifier(uid) ? { uid } : {}) } as const
  return refuse('not_found', detail, { remedy })
}

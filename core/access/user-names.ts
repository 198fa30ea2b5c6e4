/**
 * Names that administrators choose: user names are shown to people, identifiers are parts of keys.
 */
import { type Result, refuse } from '../errors.ts'
import { hiddenFault } from '../json/hidden-text.ts'

/** Code points. A longer name would leave no room for the skill in `{username}_{skillId}`. */
export const USERNAME_CHARS_MAX = 40
/** A user id, a grant id or a tier. Each is part of a key in the store. */
export const IDENTIFIER_CHARS_MAX = 64
/** 256 bits: 43 base64url characters after `sgk_`. */
export const KEY_BYTES = 32

/** JSON Schema form of the rule; the admin function's schemas use it. */
export const IDENTIFIER_PATTERN = `^[A-Za-z0-9_-]{1,${IDENTIFIER_CHARS_MAX}}$`
export const IDENTIFIER_RULE = `must be 1 to ${IDENTIFIER_CHARS_MAX} characters of A-Z, a-z, 0-9, - and _`
export const USERNAME_RULE = `must be 1 to ${USERNAME_CHARS_MAX} characters, none of them hidden`

const IDENTIFIER = new RegExp(IDENTIFIER_PATTERN)

export function isIdentifier(value: unknown): value is string {
  return typeof value === 'string' && IDENTIFIER.test(value)
}

/**
 * A username as lists sort it and claims compare it: in lower case, in Unicode's form NFC, and without
 * spaces at its ends.
 */
export function foldedName(username: string): string {
  return username.normalize('NFC').trim().toLowerCase().normalize('NFC')
}

/** Code points. An e-mail address or a subject of an identity provider has fewer; more may not fit a key. */
export const IDENTITY_CHARS_MAX = 160
export const IDENTITY_RULE = `must be 1 to ${IDENTITY_CHARS_MAX} characters, none of them hidden, without spaces at its ends`

/** Two identities that differ in case alone are one: people type e-mail addresses. */
export function foldedIdentity(identity: string): string {
  return foldedName(identity)
}

export function isIdentity(value: unknown): value is string {
  if (typeof value !== 'string' || value === '' || value.trim() !== value) return false
  return [...value].length <= IDENTITY_CHARS_MAX && hiddenFault(value) === undefined
}

export function isUsername(value: unknown): value is string {
  if (typeof value !== 'string' || value.trim() === '') return false
  return [...value].length <= USERNAME_CHARS_MAX && hiddenFault(value) === undefined
}

/** A refusal with `not_found`, for administrators alone. */
export function unknownUser(uid: string): Result<never> {
  return refuse(
    'not_found',
    `uid: there is no user ${JSON.stringify(uid.slice(0, 64))}. POST /v1/admin/users creates one.`,
  )
}

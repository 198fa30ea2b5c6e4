/**
 * A secret of a user, or of the gateway for users who have none of that name: a name and a value.
 * The value is in the clear only during one call of execute and one request of an administrator.
 * Bound by docs/service.md, Secrets.
 */
import { err, ok, type Result } from '../errors.ts'
import type { Json } from '../json/json.ts'
import { countBytes } from '../json/text-bytes.ts'
import { SECRET_BYTES_MAX, SECRET_CHARS_MIN } from './limits.ts'

/**
 * The context to which a sealed value is bound. `skillId` is GLOBAL_SKILL_ID if all skills may use the
 * secret.
 */
export type SecretContext = {
  /**
   * Undefined for a shared secret. Its context has other fields, so neither kind opens as the
   * other.
   */
  readonly uid: string | undefined
  readonly skillId: string
  readonly name: string
  /** Text of the binding ({@link writeBinding}), which says what the value may be used for. */
  readonly binding: string
}

/**
 * Replaces the skill id of a secret for all skills. No skill id equals it, because each begins with
 * the service's prefix.
 */
export const GLOBAL_SKILL_ID = '-'

export type StoredSecret = {
  /** Undefined for a global secret. */
  readonly skillId: string | undefined
  readonly name: string
  readonly sealed: Uint8Array
  readonly updatedAtMs: number
  /** The text of the binding (secret-binding.ts), which stores keep unchanged. */
  readonly binding: string
}

/** The part of a secret that lists show: all but its value. */
export type SecretListing = Omit<StoredSecret, 'sealed'>

/** The value before the current one, which an upstream may still need. */
export type PreviousSecret = Pick<StoredSecret, 'binding' | 'sealed'> & {
  readonly untilMs: number
}

/** A secret as a call reads it. */
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

/** The part of a shared secret that lists show: all but its value. */
export type SharedSecretListing = Omit<SharedSecret, 'sealed'> & {
  /** Until when the previous value may be used; undefined if there is none. */
  readonly previousUntilMs: number | undefined
  /** Day of the last use, counted from 1970; undefined before the first. */
  readonly lastUsedDay: number | undefined
}

/**
 * Which of the secrets of one name a call used: the user's or a shared one, for one skill or for
 * all.
 */
export type SecretFrom = 'user-skill' | 'user' | 'shared-skill' | 'shared'

export type SecretUsed = { readonly name: string; readonly from: SecretFrom }

/** Why sealing or opening failed. `cause` is for the log and has no part of the value. */
export type SealFailure = {
  /**
   * `denied`: the key may not be used (policy, disabled, deleted, file with wrong permissions).
   * `foreign`: sealed for another user, skill, name or binding or under another key, or changed
   * since. `unavailable`: the key service does not answer, or throttles.
   */
  readonly why: 'denied' | 'foreign' | 'unavailable'
  readonly cause: unknown
}

/** The form of a name, which templates write as `{{secrets.NAME}}`. */
export const SECRET_NAME_PATTERN = '^[A-Z][A-Z0-9_]{0,63}$'

export const SECRET_NAME_RULE = '1 to 64 characters of A-Z, 0-9 and _, a letter first'

const SECRET_NAME = new RegExp(SECRET_NAME_PATTERN)

/** True for the text of a secret name. */
export function isSecretName(text: string): boolean {
  return SECRET_NAME.test(text)
}

export type SecretPlace = Pick<StoredSecret, 'name' | 'skillId'>

/** Sorts before all other places. */
export const FIRST_SECRET_PLACE: SecretPlace = { skillId: undefined, name: '' }

/** Compares places: global secrets first, then by skill and name, in code units. */
export function compareSecretPlaces(a: SecretPlace, b: SecretPlace): number {
  const [skillA, skillB] = [a.skillId ?? '', b.skillId ?? '']
  if (skillA !== skillB) return skillA < skillB ? -1 : 1
  if (a.name === b.name) return 0
  return a.name < b.name ? -1 : 1
}

export const SECRET_VALUE_RULE = `must be a string of ${SECRET_CHARS_MIN} characters or more, up to ${SECRET_BYTES_MAX} bytes of UTF-8`

/**
 * Checks a secret value that an administrator sends: long enough to be masked, short enough to be
 * stored. Errors never repeat any part of the value. Returns a value that may be sealed, or the
 * rule that it breaks.
 */
export function readSecretValue(value: Json | undefined): Result<string, string> {
  if (typeof value !== 'string' || !value.isWellFormed()) return err(SECRET_VALUE_RULE)
  // Code units are compared first, so that a long text is not encoded only to be refused.
  if (value.length > SECRET_BYTES_MAX || countBytes(value) > SECRET_BYTES_MAX)
    return err(SECRET_VALUE_RULE)
  return [...value].length < SECRET_CHARS_MIN ? err(SECRET_VALUE_RULE) : ok(value)
}

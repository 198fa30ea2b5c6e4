/**
 * A named key of an administrator: its form, its record and its expiry. Bound by docs/service.md,
 * Admin credentials.
 */
import type { AdminRole } from './admin-role.ts'

export type AdminKey = {
  /** sha256 of the key, base64url. The key itself is never stored. */
  readonly keyId: string
  /** Unique among the keys that exist. */
  readonly name: string
  readonly role: AdminRole
  /** `sga_` and four characters. The owner of a leaked key finds its entry by them. */
  readonly keyPrefix: string
  readonly createdAtMs: number
  /** Name of the administrator who made the key. */
  readonly createdBy: string
  /** Milliseconds since 1970; undefined if the key is valid until it is revoked. */
  readonly expiresAtMs: number | undefined
  /** UTC day of the last request, as `2026-11-22`; undefined before the first. */
  readonly lastUsedDay: string | undefined
}

/** Secret scanners recognise a leaked key by this prefix; keys of agents begin with `sgk_`. */
export const ADMIN_KEY_START = 'sga_'

const ADMIN_KEY = /^sga_[A-Za-z0-9_-]{43}$/
const PREFIX_CHARS = 8

/**
 * Keys of one gateway: enough for the people and programs of a company, and one page of the list.
 * Concurrent creations may exceed the limit by their number.
 */
export const ADMIN_KEYS_MAX = 100
/** Characters. */
export const ADMIN_KEY_NAME_CHARS_MAX = 64
/** Lower case only, so that no two names look alike. `:` is reserved for the two secrets' names. */
export const ADMIN_KEY_NAME_PATTERN = `^[a-z0-9][a-z0-9._@-]{0,${ADMIN_KEY_NAME_CHARS_MAX - 1}}$`
/** The name rule as a phrase that follows the name of a field. */
export const ADMIN_KEY_NAME_RULE = `must be 1 to ${ADMIN_KEY_NAME_CHARS_MAX} characters of a-z, 0-9, . _ @ and -, the first a letter or digit`

/** True if the text has the form of a named admin key; the key may still be unknown. */
export function isAdminKey(text: string): boolean {
  return ADMIN_KEY.test(text)
}

/** The first eight characters of a key, which lists may show. */
export function toAdminKeyPrefix(key: string): string {
  return key.slice(0, PREFIX_CHARS)
}

/** True from the millisecond of the expiry on. */
export function isAdminKeyExpired({ expiresAtMs }: Pick<AdminKey, 'expiresAtMs'>, nowMs: number) {
  return expiresAtMs !== undefined && nowMs >= expiresAtMs
}

/**
 * An invitation: a link with which a person logs in once, without an API key. Its key is stored
 * when an administrator makes the link, beside the other keys of the user and under the hash of the
 * link's secret, so budgets, scope and revocation are those of any key. Nobody can send this key:
 * what a caller sends is never hashed to its id. Bound by docs/login.md and ADR 0117.
 */
import type { Digests } from '../ports/outside.ts'
import type { KeyRecord } from './principal.ts'

/** The beginning of the stored hash of an invitation's key. No hash of another key has it. */
export const INVITE_HASH_START = 'n:'

/** What lists show in place of the first characters of a key. */
export const INVITE_PREFIX = 'invite'

/** Begins the secret of a link. */
export const INVITE_START = 'sgi_'

const SECRET = /^sgi_[A-Za-z0-9_-]{43}$/

/** A link can be used for 7 days: a person reads mail within a week, and a mailbox is not a vault. */
export const INVITE_LIFE_MS = 7 * 86_400_000

/** True if the text has the form of a link's secret; the invitation may still be unknown. */
export function isInvite(text: string): boolean {
  return SECRET.test(text)
}

export function hashInvite({ sha256 }: Pick<Digests, 'sha256'>, secret: string): string {
  return `${INVITE_HASH_START}${sha256(secret)}`
}

/** True if a key is that of an invitation. */
export function isInviteHash(keyHash: string): boolean {
  return keyHash.startsWith(INVITE_HASH_START)
}

/** The link can be used until this time, also if its login has renewed the key since. */
export function isInviteOpen({ createdAtMs }: KeyRecord, nowMs: number): boolean {
  return nowMs - createdAtMs < INVITE_LIFE_MS
}

/** The first login renews the key, and only a login uses it. */
export function isInviteUsed({ createdAtMs, renewedAtMs }: KeyRecord): boolean {
  return renewedAtMs > createdAtMs
}

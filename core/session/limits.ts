/**
 * Lifetimes of session records and sizes of stored items. The store adapter and its contract suite
 * read these numbers. Bound by docs/service.md, Sessions and Reply delivery.
 */
import type { Session } from './session.ts'

/** A session expires this long after its last activity: a POST, or a renewal by its stream. */
export const SESSION_TTL_SEC = 3_600

/** Replies expire and are not deleted. The session of a reply this old has ended. */
export const REPLY_TTL_SEC = 3_600

/**
 * Items that one read of a range of replies takes: 17 MB at most. The longest reply has fewer
 * parts.
 */
export const REPLY_ITEMS_PER_READ = 48

/**
 * Bytes of a sealed reply in one item: below DynamoDB's 400 KB, with room for keys and attributes.
 */
export const REPLY_ITEM_BYTES_MAX = 350_000

/** From this time on, reads must not return the session, even if its record still exists. */
export function toSessionExpiryMs(session: Pick<Session, 'lastPostAtMs' | 'aliveUntilMs'>): number {
  return Math.max(session.lastPostAtMs, session.aliveUntilMs) + SESSION_TTL_SEC * 1_000
}

/** A waiting call reads a client's answer at once or never. */
export const INPUT_ANSWER_TTL_SEC = 60

/**
 * Requests that a session record keeps: all from the oldest unanswered one on. The write that
 * accepts a request refuses one more. 256 short ids take 16 kB. 256 ids of the longest form
 * (ID_LENGTH_MAX control characters) take 407 kB, which fits DynamoDB's 409,600 bytes with room for
 * the attribute that ends the session.
 */
export const PENDING_MAX = 256
/** UTF-8 bytes of a reply's JSON on HTTP+SSE. An error result replaces a longer reply. */
export const REPLY_BYTES_MAX = 1_048_576

/**
 * Lifetimes of session records and sizes of stored items. Both store adapters and their contract
 * suites read these numbers. Bound by docs/service.md, Sessions and Reply delivery.
 */
import type { Session } from './session.ts'

/** A session expires this long after its last activity (a POST, or a renewal by its stream). */
export const SESSION_TTL_SEC = 3_600

/** Replies are not deleted but expire; a reply that is this old belongs to a dead session. */
export const REPLY_TTL_SEC = 3_600

/** Items of replies that a read of a range takes: 17 MB at most, and at least the longest reply with its parts. */
export const REPLY_ITEMS_PER_READ = 48

/** Sealed bytes in one stored item: below DynamoDB's 400 KB with room for keys and attributes. */
export const REPLY_ITEM_BYTES_MAX = 350_000

/** From this time on, reads must not return the session, even if its record still exists. */
export function sessionExpiresAtMs(
  session: Pick<Session, 'lastPostAtMs' | 'aliveUntilMs'>,
): number {
  return Math.max(session.lastPostAtMs, session.aliveUntilMs) + SESSION_TTL_SEC * 1_000
}

/** A client's answer to a waiting call is read at once, or never. */
export const INPUT_ANSWER_TTL_SEC = 60

/**
 * Requests kept from the oldest unanswered one on, answered or not: the record keeps them all until
 * that one is answered. The write that accepts a request refuses a further one. 256 short ids take
 * 16 kB; 256 of the longest form (ID_LENGTH_MAX control characters) take 407 kB, which still fits
 * DynamoDB's 409,600 bytes, with room for the attribute that ends the session.
 */
export const PENDING_MAX = 256
/** UTF-8 bytes of a reply's JSON text on HTTP+SSE; a longer one is replaced by an error result. */
export const REPLY_BYTES_MAX = 1_048_576

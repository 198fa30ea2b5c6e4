/**
 * How long the session records live and how large one stored item may be. Both store adapters and
 * their contract suites read these; nothing here knows a store. Bound by docs/service.md, Sessions
 * and Reply delivery.
 */
import type { Session } from './session.ts'

/** A session is gone this long after its last activity (a POST, or its stream vouching for itself). */
export const SESSION_TTL_SEC = 3_600

/** Replies are left to expire; one that nobody fetched for so long belongs to a dead session. */
export const REPLY_TTL_SEC = 3_600

/** Sealed bytes in one stored item: below DynamoDB's 400 KB with room for keys and attributes. */
export const REPLY_ITEM_BYTES_MAX = 350_000

/** From this moment on reads must not see the session, whether its record was deleted or not. */
export function sessionExpiresAtMs(
  session: Pick<Session, 'lastPostAtMs' | 'aliveUntilMs'>,
): number {
  return Math.max(session.lastPostAtMs, session.aliveUntilMs) + SESSION_TTL_SEC * 1_000
}

/** What a client answered while a call waits is read at once, or never. */
export const INPUT_ANSWER_TTL_SEC = 60

/**
 * Requests of one session from its oldest unanswered one on, answered or not: the record keeps them
 * all until that one is answered. The write that accepts a request refuses the next
 * one. 256 short ids make 16 kB; 256 of the longest form (ID_LENGTH_MAX control characters) make 407 kB,
 * which still fits DynamoDB's 409,600 bytes with room for the end's attribute.
 */
export const PENDING_MAX = 256
/** A reply's JSON text in UTF-8 bytes on this transport; past it a result that says so. */
export const REPLY_BYTES_MAX = 1_048_576

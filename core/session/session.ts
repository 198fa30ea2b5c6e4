/**
 * One MCP session over HTTP+SSE: the record of an open stream. The record has neither the session
 * id nor the agent's key in the clear, only `hash` = sha256(session id) and a header sealed under
 * the id. Bound by docs/service.md, Sessions, Streams and Reply delivery.
 */
import type { IdText } from '../jsonrpc/message.ts'

/** A request that the session accepted and that may not be delivered yet. */
export type PendingRequest = {
  readonly id: IdText
  readonly postedAtMs: number
  /** True for tools/call: the call must be voided if the request stays unanswered. */
  readonly calls: boolean
}

export type Session = {
  /** sha256(session id), base64url: the partition key. */
  readonly hash: string
  /** sha256(API key), base64url, or `anonymous`. */
  readonly keyHash: string
  /** The user behind the key at session open; undefined for an anonymous session. */
  readonly uid: string | undefined
  /** The GET's Authorization header sealed under the session id; undefined for anonymous. */
  readonly sealedCredential: Uint8Array | undefined
  /** Name and version from the client's `initialize`; absent until then. */
  readonly client?: string
  readonly createdAtMs: number
  /** Time of the last accepted POST; `createdAtMs` before the first. */
  readonly lastPostAtMs: number
  /**
   * The stream promises to serve POSTs until then. After that its function is dead, and POSTs get
   * 404.
   */
  readonly aliveUntilMs: number
  readonly endedAtMs: number | undefined
  /** Number of the newest accepted request; 0 before the first. seq = base + pending.length. */
  readonly seq: number
  /** Requests 1..base were delivered and removed from the record. */
  readonly base: number
  /** Requests base+1..seq in order; some may be delivered. Entry i has seq base + 1 + i. */
  readonly pending: readonly PendingRequest[]
}

/**
 * The part of the record that a stream and its tail keep. Only the messages function needs the
 * sealed header.
 */
export type StreamSession = Omit<Session, 'sealedCredential'>

/** A report of a tail: the changed record, or one reply (each seq exactly once). */
export type SessionNews =
  | { readonly kind: 'session'; readonly session: StreamSession }
  | { readonly kind: 'reply'; readonly seq: number; readonly sealed: Uint8Array }

export type StoredReply = { readonly seq: number; readonly sealed: Uint8Array }

/** A stream's claim to one slot of its key; the claim expires by itself. */
export type StreamLease = {
  readonly keyHash: string
  /** Session hash. */
  readonly session: string
  readonly openedAtMs: number
  readonly expiresAtMs: number
}

/** An upper bound of the open streams, as one opener got it. */
export type OpeningCount = {
  /**
   * At most this many streams are open, including this one; Infinity without a recent list of all
   * leases.
   */
  readonly atMost: number
  /** Openings since that list, including this one. */
  readonly openings: number
  /** The number of that list; undefined before the first. */
  readonly list: number | undefined
}

/** The `keyHash` of sessions and leases of callers without a key. */
export const ANONYMOUS = 'anonymous'

/** The shape of a session id: 256 random bits, base64url. Checked before any read. */
export const SESSION_ID_BYTES = 32

const SESSION_ID = /^[A-Za-z0-9_-]{43}$/

/** True for the text of a session id; the session may be unknown. */
export function isSessionId(text: string): boolean {
  return SESSION_ID.test(text)
}

/** The payload that the sse function passes to the messages function for one accepted message. */
export type HandedMessage = {
  readonly sessionId: string
  /** The session as the accepting write returned it; `pending` includes this request. */
  readonly session: Session
  /** This request's sequence number; 0 for a notification, which gets no reply. */
  readonly seq: number
  readonly acceptedAtMs: number
  /** The User-Agent of its POST, shortened; for the record of a call. */
  readonly client?: string | undefined
  /** The JSON-RPC message exactly as posted. */
  readonly text: string
}

/**
 * One MCP session over HTTP+SSE: the record behind an open stream. It holds neither the session id
 * nor the agent's key in the clear, only `hash` = sha256(session id) and a header sealed under the
 * id. Bound by docs/service.md, Sessions, Streams and Reply delivery.
 */
import type { IdText } from '../jsonrpc/message.ts'

/** A request that this session accepted and that may not have been delivered yet. */
export type PendingRequest = {
  readonly id: IdText
  readonly postedAtMs: number
  /** True for tools/call: its call must be voided if it stays unanswered. */
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
  readonly sealedAuthorization: Uint8Array | undefined
  /** Name and version that the client gave with `initialize`; absent until then. */
  readonly client?: string
  readonly createdAtMs: number
  /** Last accepted POST; `createdAtMs` until the first. */
  readonly lastPostAtMs: number
  /**
   * The stream promises to serve POSTs until then; later its function has died, and POSTs get 404.
   */
  readonly aliveUntilMs: number
  readonly endedAtMs: number | undefined
  /** Number of the newest accepted request; 0 before the first. seq = base + pending.length. */
  readonly seq: number
  /** Requests 1..base were delivered and dropped from the record. */
  readonly base: number
  /** Requests base+1..seq in order; some may be delivered. Entry i has seq base + 1 + i. */
  readonly pending: readonly PendingRequest[]
}

/** What a stream and its tail keep of the record. The sealed header is for whoever processes a message. */
export type StreamSession = Omit<Session, 'sealedAuthorization'>

/** A report of a tail: the changed record, or one reply (each seq exactly once). */
export type SessionNews =
  | { readonly kind: 'session'; readonly session: StreamSession }
  | { readonly kind: 'reply'; readonly seq: number; readonly sealed: Uint8Array }

export type StoredReply = { readonly seq: number; readonly sealed: Uint8Array }

/** A stream's claim to one of its key's open streams; it expires by itself. */
export type StreamLease = {
  readonly keyHash: string
  /** Session hash. */
  readonly session: string
  readonly openedAtMs: number
  readonly expiresAtMs: number
}

/** How many streams may be open, as one opener was told. */
export type OpeningCount = {
  /** No more are open, this one included; Infinity where no list of all leases is new enough to go by. */
  readonly atMost: number
  /** Openings since that list, this one included. */
  readonly openings: number
  /** The number of that list; undefined before the first. */
  readonly list: number | undefined
}

export const ANONYMOUS = 'anonymous'

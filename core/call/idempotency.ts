/**
 * Idempotency-Key: which request it belongs to and what is kept of it. Bound by docs/service.md,
 * Idempotency-Key. The stored answer is sealed under the API key, so a copy of the store opens
 * nothing.
 */

/** Design: kept 24 h. */
export const ANSWER_TTL_SEC = 86_400
/** Characters of the header: visible ASCII. */
export const IDEMPOTENCY_KEY_CHARS_MAX = 128
/** A claim whose call must be dead: a call lives 15 s. */
export const CLAIM_STALE_MS = 60_000
/** JSON text of an answer that is kept for repeats; a longer one is told to be gone. */
export const KEPT_ANSWER_BYTES_MAX = 1_048_576

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,128}$/

export function isIdempotencyKey(text: string): boolean {
  return IDEMPOTENCY_KEY.test(text)
}

export type AnswerClaim = {
  /** Digest of user and Idempotency-Key. */
  readonly id: string
  /** Digest of the request body. */
  readonly bodyHash: string
  /** Of the API key that sent it: the answer is sealed under that key. */
  readonly keyHash: string
  readonly uid: string
  /** The ledger's id of the one call that this key stands for. */
  readonly callId: string
  /** Random: recognises our own claim when its answer was lost. */
  readonly writeToken: string
  readonly claimedAtMs: number
}

export type StoredAnswer = AnswerClaim & {
  readonly kept: 'not-yet' | 'too_large' | Uint8Array
}

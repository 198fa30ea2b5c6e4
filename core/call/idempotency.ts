/**
 * Idempotency-Key: the request it belongs to and the record kept for it. Bound by docs/service.md,
 * Idempotency-Key. The stored answer is sealed under the API key, so a copy of the store reveals
 * nothing.
 */

/** How long an answer is kept for repeats: 24 h. */
export const ANSWER_TTL_SEC = 86_400
/** Characters of the header: visible ASCII. */
export const IDEMPOTENCY_KEY_CHARS_MAX = 128
/** Age at which a claim's call is certainly dead: a call lives 15 s. */
export const CLAIM_STALE_MS = 60_000
/**
 * Longest JSON text of an answer kept for repeats; a repeat of a longer one is told it was not
 * kept.
 */
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
  /** Hash of the API key that sent it; the answer is sealed under that key. */
  readonly keyHash: string
  readonly uid: string
  /** The ledger id of the one call that this Idempotency-Key stands for. */
  readonly callId: string
  /** Random. Recognises our own claim when the store's confirmation was lost. */
  readonly writeToken: string
  readonly claimedAtMs: number
}

export type StoredAnswer = AnswerClaim & {
  readonly kept: 'not-yet' | 'too_large' | Uint8Array
}

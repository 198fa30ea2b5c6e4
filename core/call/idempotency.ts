/**
 * Idempotency-Key: its form, and the record that is stored for it. The stored answer is sealed
 * under the API key, so that a copy of the store reveals nothing. Bound by docs/service.md,
 * Idempotency-Key.
 */

/** An answer is kept for repeated requests for 24 h. */
export const ANSWER_TTL_SEC = 86_400
/** Characters of the header, all visible ASCII. */
export const IDEMPOTENCY_KEY_CHARS_MAX = 128
/** After this time, the call of a claim is certainly over: a call takes at most 15 s. */
export const CLAIM_STALE_MS = 60_000
/** Bytes of a stored answer's JSON text. A repeat learns that a longer answer was not stored. */
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
  /** Hash of the API key that sent the request. The answer is sealed under that key. */
  readonly keyHash: string
  readonly uid: string
  /** The call id of the only call that this Idempotency-Key may make. */
  readonly callId: string
  /** Random. It recognises the writer's own claim if the store's confirmation was lost. */
  readonly writeToken: string
  readonly claimedAtMs: number
}

export type StoredAnswer = AnswerClaim & {
  readonly kept: 'not-yet' | 'too_large' | Uint8Array
}

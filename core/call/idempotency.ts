/**
 * Idempotency-Key: its form, and the record that is stored for it. The stored answer is sealed
 * under the API key, so that a copy of the store reveals nothing. Bound by docs/service.md,
 * Idempotency-Key.
 */

import { stableText } from '../json/stable-text.ts'
import type { ExecuteBody } from './execute.ts'

/** An answer is kept for repeated requests for 24 h. */
export const ANSWER_TTL_SEC = 86_400
/** Characters of the header, all visible ASCII. */
export const IDEMPOTENCY_KEY_CHARS_MAX = 128
/** Header of POST /v1/execute, and of calls between our own functions. */
export const IDEMPOTENCY_KEY_HEADER = 'idempotency-key'
/** `true` on an answer that was given before. */
export const REPLAYED_HEADER = 'idempotency-replayed'
/** How often a repeat over MCP looks whether the first call has ended: 1 s. */
export const KEY_POLL_MS = 1_000
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
  /** Of the arguments and the input: {@link bodyHashOf}. */
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

/** What is kept of a call: its sealed answer, or why there is none. */
export type KeptAnswer = 'too_large' | 'interrupted' | Uint8Array

export type StoredAnswer = AnswerClaim & { readonly kept: 'not-yet' | KeptAnswer }

/**
 * What a repeat must have in common with the first call beside its skill: the arguments in any order of their
 * members, and the answers to the upstream's questions. What the client can be asked does not count.
 */
export function bodyHashOf(
  sha256: (text: string) => string,
  { arguments: args, input: { responses, state } = {} }: Omit<ExecuteBody, 'skill'>,
): string {
  const hash = sha256(stableText(args))
  if (responses === undefined && state === undefined) return hash
  const input = { responses: responses ?? {}, state: state ?? null }
  return `${hash}${INPUT_MARK}${sha256(stableText(input))}`
}

/**
 * Whether a request may get the answer of the call that has the key. A request without answers starts the
 * dialogue over: it gets the answer of the round that completed, whatever was answered there.
 */
export function isSameBody(sent: string, standing: string): boolean {
  return sent === standing || standing.startsWith(`${sent}${INPUT_MARK}`)
}

/** Stands in no hash. */
const INPUT_MARK = '+input:'

/**
 * Idempotency-Key: its form, and the record that is stored for it. The stored answer is sealed with
 * a key that is derived from the API key, so a copy of the store reveals no answer. Bound by
 * docs/service.md, Idempotency-Key.
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
/** Interval at which a repeat over MCP polls for the end of the first call: 1 s. */
export const KEY_POLL_MS = 1_000
/** The call of an older claim is certainly over, because a call takes at most 15 s. */
export const CLAIM_STALE_MS = 60_000
/** Bytes of a stored answer's JSON text. A repeat learns that a longer answer was not stored. */
export const KEPT_ANSWER_BYTES_MAX = 1_048_576

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,128}$/

/** True for 1 to 128 visible ASCII characters without spaces. */
export function isIdempotencyKey(text: string): boolean {
  return IDEMPOTENCY_KEY.test(text)
}

export type AnswerClaim = {
  /** Digest of user and Idempotency-Key. */
  readonly id: string
  /** Hash of the arguments and the input, made by {@link hashCallBody}. */
  readonly bodyHash: string
  /**
   * sha256 of the sealing key of the caller (`Principal.sealingKey`). Only that key opens the
   * answer: it is the same for all requests of one API key, and for all of one login.
   */
  readonly sealingKeyHash: string
  readonly uid: string
  /** The call id of the only call that this Idempotency-Key may make. */
  readonly callId: string
  /** Random. The writer recognises its own claim by this token if the store's answer was lost. */
  readonly writeToken: string
  readonly claimedAtMs: number
}

/** The sealed answer of a call, or the reason why no answer is kept. */
export type KeptAnswer = 'too_large' | 'interrupted' | Uint8Array

export type StoredAnswer = AnswerClaim & {
  readonly kept: 'not-yet' | KeptAnswer
  /** The sealed id of the task that the call has become; absent for most calls. */
  readonly task?: Uint8Array
}

/**
 * Returns the hash that a repeat must share with the first call, besides the same skill. It covers
 * the arguments, in any order of their members, and the answers to the upstream's questions. It
 * does not cover the capabilities of the client.
 */
export function hashCallBody(
  sha256: (text: string) => string,
  { arguments: args, input: { responses, state } = {} }: Omit<ExecuteBody, 'skill'>,
): string {
  const hash = sha256(stableText(args))
  if (responses === undefined && state === undefined) return hash
  const input = { responses: responses ?? {}, state: state ?? null }
  return `${hash}${INPUT_MARK}${sha256(stableText(input))}`
}

/**
 * True if a request with the hash `sent` may get the answer of the call with the hash `standing`. A
 * request without answers to the upstream's questions starts the dialogue again. It gets the answer
 * of the completed round, whatever the client answered there.
 */
export function isSameBody(sent: string, standing: string): boolean {
  return sent === standing || standing.startsWith(`${sent}${INPUT_MARK}`)
}

/** Separates the two hashes; no hash contains this text. */
const INPUT_MARK = '+input:'

/**
 * Refusals and faults as RFC 9457 problem documents. A thrown error becomes a text without internal
 * details; its cause is logged and never answered.
 */
import type { Problem } from '../../core/call/execute.ts'
import { CHALLENGE, toProblem } from '../../core/call/problem.ts'
import { Fault, type Refusal } from '../../core/errors.ts'
import { answerJson } from './answer.ts'
import type { ResponseStream } from './events.ts'
import type { ResponseHeaders } from './lambda-stream.ts'

/** A store that throttles or fails over usually works again within a second. */
const STORE_RETRY_AFTER_SEC = 1
/** The gateway asks an issuer whose keys it does not have every 5 s. */
const ISSUER_RETRY_AFTER_SEC = 5

/**
 * Headers of the document's answer. REST APIs and function URLs rename www-authenticate, so the
 * document also contains its value.
 */
export function makeProblemHeaders(problem: Problem): ResponseHeaders {
  return {
    'content-type': 'application/problem+json',
    ...(problem.status === 401 ? { 'www-authenticate': problem.wwwAuthenticate ?? CHALLENGE } : {}),
    ...(problem.retryAfterSec === undefined
      ? {}
      : { 'retry-after': String(Math.max(1, Math.ceil(problem.retryAfterSec))) }),
  }
}

/** Answers a refusal, or a finished problem document. */
export function answerProblem(
  out: ResponseStream,
  refusal: Refusal | Problem,
  headers: ResponseHeaders = {},
): Promise<void> {
  const problem = 'status' in refusal ? refusal : toProblem(refusal)
  return answerJson(out, problem.status, problem, { ...headers, ...makeProblemHeaders(problem) })
}

/** The refusal for a thrown value: a {@link Fault} keeps its code, a bug is `internal`. */
export function toThrownRefusal(cause: unknown): Refusal {
  const code = cause instanceof Fault ? cause.code : 'internal'
  switch (code) {
    case 'store_unavailable':
      return {
        code,
        detail: 'The store did not answer; send the request again in a moment.',
        retryAfterSec: STORE_RETRY_AFTER_SEC,
      }
    case 'issuer_unavailable':
      return {
        code,
        detail:
          'The authorization server that made this token did not answer the gateway. Send the request again in a moment.',
        retryAfterSec: ISSUER_RETRY_AFTER_SEC,
      }
    case 'upstream_failed':
      return { code, detail: 'The upstream did not answer; try again later.' }
    case 'internal':
      return { code, detail: 'Something failed inside Skillgate; it was logged. Try again later.' }
    default:
      return code satisfies never
  }
}

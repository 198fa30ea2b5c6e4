/**
 * Decides whether and when a failed send is repeated. It is repeated only if another try may
 * succeed and enough time is left. The skill decides how often (`retries`; by default 0 for POST
 * and PATCH).
 */
import type { UpstreamAnswer } from './upstream.ts'

/** The first pause before jitter. Each further pause is twice as long. */
const PAUSE_FIRST_MS = 100
/** Least time for a try. A shorter one would only add load to an upstream in trouble. */
export const TRY_MS_MIN = 250

const RETRIED_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504])

export type RetryFacts = {
  readonly answer: UpstreamAnswer
  /** Sends made so far. */
  readonly sends: number
  readonly retries: number
  readonly nowMs: number
  /** The time when the time limit cuts the call. */
  readonly cutAtMs: number
  /** 0 ≤ jitter < 1. */
  readonly jitter: number
}

/** Returns the milliseconds to wait before the next try; undefined if this answer is final. */
export function findRetryPauseMs(facts: RetryFacts): number | undefined {
  if (facts.sends > facts.retries) return undefined
  const askedMs = askedPauseMs(facts.answer, facts.nowMs)
  if (askedMs === undefined) return undefined
  const ownMs = PAUSE_FIRST_MS * 2 ** (facts.sends - 1) * (1 + facts.jitter)
  const pauseMs = Math.max(askedMs, ownMs)
  return facts.nowMs + pauseMs + TRY_MS_MIN <= facts.cutAtMs ? pauseMs : undefined
}

/** Returns the pause that the upstream requests, or 0; undefined if a retry would not help. */
function askedPauseMs(answer: UpstreamAnswer, nowMs: number): number | undefined {
  if (answer.kind === 'unreachable') return answer.hasPartialAnswer === true ? undefined : 0
  if (answer.kind !== 'answered' || !RETRIED_STATUSES.has(answer.response.status)) return undefined
  const { retryAfter } = answer.response
  const pauseMs = retryAfter === undefined ? undefined : readRetryAfter(retryAfter, nowMs)
  // A 429 without Retry-After is final, because the upstream already refuses too many requests.
  if (answer.response.status === 429) return pauseMs
  return pauseMs ?? 0
}

/** Reads seconds or a date (RFC 9110 section 10.2.3) as ms from now; undefined for other text. */
export function readRetryAfter(text: string, nowMs: number): number | undefined {
  const trimmed = text.trim()
  if (/^\d{1,9}$/.test(trimmed)) return Number(trimmed) * 1000
  if (!/^[A-Za-z]{3}, /.test(trimmed)) return undefined
  const atMs = Date.parse(trimmed)
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs)
}

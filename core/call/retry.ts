/**
 * Whether a send that failed is made once more, and when. Only failures that a second try may mend,
 * and only while there is time for one: a try that the guard would cut is not begun. Which methods
 * may be sent again is the skill's (`retries`; none for POST and PATCH unless it says so).
 */
import type { UpstreamAnswer } from './upstream.ts'

/** Of the back-off before jitter: doubled with each try. */
const PAUSE_FIRST_MS = 100
/** What a try needs at least: less, and it would only add load to an upstream in trouble. */
export const TRY_MS_MIN = 250

const RETRIED_STATUSES: ReadonlySet<number> = new Set([429, 502, 503, 504])

export type RetryFacts = {
  readonly answer: UpstreamAnswer
  /** Sends made so far. */
  readonly sends: number
  readonly retries: number
  readonly nowMs: number
  /** When the guard cuts the call. */
  readonly cutAtMs: number
  /** 0 ≤ jitter < 1. */
  readonly jitter: number
}

/** Milliseconds to wait before the next try; undefined: this answer stands. */
export function retryAfterMs(facts: RetryFacts): number | undefined {
  if (facts.sends > facts.retries) return undefined
  const askedMs = askedPauseMs(facts.answer, facts.nowMs)
  if (askedMs === undefined) return undefined
  const ownMs = PAUSE_FIRST_MS * 2 ** (facts.sends - 1) * (1 + facts.jitter)
  const pauseMs = Math.max(askedMs, ownMs)
  return facts.nowMs + pauseMs + TRY_MS_MIN <= facts.cutAtMs ? pauseMs : undefined
}

/** How long the upstream asks us to wait (0: it says nothing); undefined: a try would not help. */
function askedPauseMs(answer: UpstreamAnswer, nowMs: number): number | undefined {
  if (answer.kind === 'unreachable') return answer.begun === true ? undefined : 0
  if (answer.kind !== 'answered' || !RETRIED_STATUSES.has(answer.response.status)) return undefined
  const { retryAfter } = answer.response
  const pauseMs = retryAfter === undefined ? undefined : readRetryAfter(retryAfter, nowMs)
  // 429 without a time to wait: asking again at once is what it complains about.
  if (answer.response.status === 429) return pauseMs
  return pauseMs ?? 0
}

/** RFC 9110 10.2.3: seconds or a date. Undefined for anything else. */
export function readRetryAfter(text: string, nowMs: number): number | undefined {
  const trimmed = text.trim()
  if (/^\d{1,9}$/.test(trimmed)) return Number(trimmed) * 1000
  if (!/^[A-Za-z]{3}, /.test(trimmed)) return undefined
  const atMs = Date.parse(trimmed)
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs)
}

/**
 * Decides whether a key may make one more call in this minute. Windows are fixed and begin with
 * each UTC minute, like the stored count minute:{minute}:{shard}:{keyHash} (docs/design/ledger.md#what-counts). The store
 * counts.
 */

const SECOND_MS = 1000
const MINUTE_SEC = 60
const MINUTE_MS = MINUTE_SEC * SECOND_MS

/** The values of the rate limit headers; `resetSec` is 1 to 60. */
type Window = { readonly limit: number; readonly remaining: number; readonly resetSec: number }

export type RateDecision =
  | (Window & { readonly allowed: true })
  /** The next minute has begun after `retryAfterSec` seconds. */
  | (Window & { readonly allowed: false; readonly retryAfterSec: number })

/** The UTC minute of a time, in minutes since 1970. */
export function toMinute(nowMs: number): number {
  return Math.floor(nowMs / MINUTE_MS)
}

/** `count` includes this call: the call that reaches `limit` is the last one allowed. */
export function decideRate(use: { count: number; limit: number; nowMs: number }): RateDecision {
  const { count, limit, nowMs } = use
  const leftMs = (toMinute(nowMs) + 1) * MINUTE_MS - nowMs
  // Rounded up, so that a caller who waits this long never returns within the same minute.
  const resetSec = Math.ceil(leftMs / SECOND_MS)
  const remaining = Math.max(0, limit - count)
  if (count <= limit) return { allowed: true, limit, remaining, resetSec }
  return { allowed: false, limit, remaining, resetSec, retryAfterSec: resetSec }
}

/** Headers with lower-case names. Only a refusal has `retry-after`. */
export function buildRateLimitHeaders(judgement: RateDecision): Readonly<Record<string, string>> {
  const { limit, remaining, resetSec } = judgement
  const headers = {
    ratelimit: `"minute";r=${remaining};t=${resetSec}`,
    'ratelimit-policy': `"minute";q=${limit};w=${MINUTE_SEC}`,
  }
  if (judgement.allowed) return headers
  return { ...headers, 'retry-after': String(judgement.retryAfterSec) }
}

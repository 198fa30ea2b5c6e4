/**
 * How often a client retries: the SDK's standard retry mode, with a first pause for each service.
 * The pauses double, and each is shortened at random. All requests of a client share a budget, so
 * that retries do not multiply the load during an outage.
 */
import type { ErrorClass } from './service-error.ts'

/**
 * Tokens of a full budget. Answers refill it, so that in the long run one request in 14 is retried.
 */
export const BUDGET_TOKENS = 500
const RETRY_COST = 14
const THROTTLE_COST = 5
const TOKENS_PER_ANSWER = 1

/** The first pause after a throttle: doubled with each try, then multiplied by a random number. */
const THROTTLE_PAUSE_MS = 1_000
const PAUSE_MS_MAX = 20_000
/** How much longer a pause may become if the server requests a longer one. */
const REQUESTED_EXTRA_MS_MAX = 5_000

export type RetryBudget = {
  /** Takes and returns the cost of one more try; undefined if the budget is too small. */
  take(trouble: ErrorClass): number | undefined
  /**
   * After an answer: returns the cost of its last retry, or adds the small share of a first try.
   */
  answered(cost: number | undefined): void
}

export function makeRetryBudget(): RetryBudget {
  let tokens = BUDGET_TOKENS
  return {
    take: (trouble) => {
      const cost = trouble === 'throttled' ? THROTTLE_COST : RETRY_COST
      if (tokens < cost) return undefined
      tokens -= cost
      return cost
    },
    answered: (cost = TOKENS_PER_ANSWER) => {
      tokens = Math.min(BUDGET_TOKENS, tokens + cost)
    },
  }
}

export type RetryPause = {
  readonly trouble: ErrorClass
  /** How many tries were made. */
  readonly tries: number
  /** The service's first pause after an error other than a throttle. */
  readonly pauseMs: number
  /** The pause that the server requested. */
  readonly askedMs?: number
}

export function drawRetryPauseMs({
  askedMs = 0,
  pauseMs: firstPauseMs,
  tries,
  trouble,
}: RetryPause): number {
  const firstMs = trouble === 'throttled' ? THROTTLE_PAUSE_MS : firstPauseMs
  const pauseMs = Math.floor(Math.random() * Math.min(firstMs * 2 ** (tries - 1), PAUSE_MS_MAX))
  return Math.max(pauseMs, Math.min(askedMs, pauseMs + REQUESTED_EXTRA_MS_MAX))
}

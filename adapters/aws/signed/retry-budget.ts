/**
 * How often a client sends again: the SDK's standard retry mode, with a first pause for each service. The pauses double, and each
 * is cut at random; all requests of a client share a budget, so that an outage is not met with several times its
 * load. Knows no request.
 */
import type { Trouble } from './service-error.ts'

/** Filled by answers: one request in fourteen may be sent again for long. */
export const BUDGET_TOKENS = 500
const RETRY_COST = 14
const THROTTLE_COST = 5
const TOKENS_PER_ANSWER = 1

/** Doubled with each try, then multiplied by a random number from 0 to 1. */
const THROTTLE_PAUSE_MS = 1_000
const PAUSE_MS_MAX = 20_000
/** How much longer a pause may become because the server asks for it. */
const ASKED_MORE_MS_MAX = 5_000

export type RetryBudget = {
  /** Takes the cost of one more try; undefined when the budget is spent. */
  take(trouble: Trouble): number | undefined
  /** After an answer: gives back the cost of its last retry, or the small share of a first try. */
  answered(cost: number | undefined): void
}

export function retryBudget(): RetryBudget {
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
  readonly trouble: Trouble
  /** How many were made. */
  readonly tries: number
  /** The service's first pause after trouble other than throttling. */
  readonly pauseMs: number
  /** The pause that the server asked for. */
  readonly askedMs?: number
}

export function retryPauseMs({ askedMs = 0, pauseMs: own, tries, trouble }: RetryPause): number {
  const firstMs = trouble === 'throttled' ? THROTTLE_PAUSE_MS : own
  const pauseMs = Math.floor(Math.random() * Math.min(firstMs * 2 ** (tries - 1), PAUSE_MS_MAX))
  return Math.max(pauseMs, Math.min(askedMs, pauseMs + ASKED_MORE_MS_MAX))
}

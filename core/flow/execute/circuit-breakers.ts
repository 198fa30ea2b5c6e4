/** The circuit breakers of one environment: one per upstream origin, shared by all users. */
import { type Breaker, CLOSED, enter, giveBack, leave } from '../../call/breaker.ts'

/** Origins remembered. Past the limit the least recently used one is forgotten. */
export const ORIGINS_MAX = 1_000

export type CircuitBreakers = {
  /** Asks whether a request may be sent. If so, the sender calls `done` once, when it has ended. */
  enter(origin: string, nowMs: number): BreakerAnswer
}

export type BreakerAnswer =
  | { readonly allowed: true; done(nowMs: number, evidence: BreakerEvidence): void }
  | { readonly allowed: false; readonly retryAfterSec: number }

/**
 * `nothing`: the end tells nothing about the upstream; the caller left, or the target was refused.
 */
export type BreakerEvidence = 'works' | 'fails' | 'nothing'

export function circuitBreakers(): CircuitBreakers {
  const breakers = new Map<string, Breaker>()
  /** Moves the origin to the end: the first key of the Map is then the least recently used. */
  const keep = (origin: string, breaker: Breaker) => {
    breakers.delete(origin)
    breakers.set(origin, breaker)
    if (breakers.size <= ORIGINS_MAX) return
    for (const oldest of breakers.keys()) {
      breakers.delete(oldest)
      return
    }
  }
  return {
    enter: (origin, nowMs) => {
      const before = breakers.get(origin) ?? CLOSED
      const entered = enter(before, nowMs)
      keep(origin, entered.allowed ? entered.breaker : before)
      if (!entered.allowed) return entered
      const { probe } = entered
      return {
        allowed: true,
        done: (atMs, evidence) => {
          const breaker = breakers.get(origin)
          if (breaker === undefined) return keep(origin, afterSend(CLOSED, atMs, evidence, probe))
          breakers.set(origin, afterSend(breaker, atMs, evidence, probe))
        },
      }
    },
  }
}

function afterSend(
  breaker: Breaker,
  atMs: number,
  evidence: BreakerEvidence,
  probe: boolean,
): Breaker {
  return evidence === 'nothing'
    ? giveBack(breaker, { probe })
    : leave(breaker, atMs, { failed: evidence === 'fails', probe })
}

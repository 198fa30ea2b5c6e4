/** What one environment remembers of the upstreams it calls: a breaker per origin. Nothing of users. */
import { type Breaker, CLOSED, enter, giveBack, leave } from '../../call/breaker.ts'

/** Origins remembered; past it the one that was asked for longest ago is forgotten. */
export const ORIGINS_MAX = 1_000

export type CircuitBreakers = {
  /** Asks to send: `done` is to be called once, with what it says of the upstream. */
  enter(origin: string, nowMs: number): BreakerAnswer
}

export type BreakerAnswer =
  | { readonly allowed: true; done(nowMs: number, said: BreakerEvidence): void }
  | { readonly allowed: false; readonly retryAfterSec: number }

/** `nothing`: a caller who left, a target that was refused: no word for or against it. */
export type BreakerEvidence = 'works' | 'fails' | 'nothing'

export function circuitBreakers(): CircuitBreakers {
  const breakers = new Map<string, Breaker>()
  /** Moves to the end: the first of a Map is the one asked for longest ago. */
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
        done: (atMs, said) => {
          const breaker = breakers.get(origin)
          if (breaker === undefined) return keep(origin, ended(CLOSED, atMs, said, probe))
          breakers.set(origin, ended(breaker, atMs, said, probe))
        },
      }
    },
  }
}

function ended(breaker: Breaker, atMs: number, said: BreakerEvidence, probe: boolean): Breaker {
  return said === 'nothing'
    ? giveBack(breaker, { probe })
    : leave(breaker, atMs, { failed: said === 'fails', probe })
}

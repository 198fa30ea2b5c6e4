/** What one environment remembers of the upstreams it calls: a breaker per origin. Nothing of users. */
import { type Breaker, CLOSED, enter, leave } from '../call/breaker.ts'

/** Origins remembered; past it the one that was asked for longest ago is forgotten. */
export const ORIGINS_MAX = 1_000

export type UpstreamMemory = {
  /** Asks to send: `done` is to be called once, with how it went. */
  enter(origin: string, nowMs: number): Entered
}

export type Entered =
  | { readonly allowed: true; done(nowMs: number, failed: boolean): void }
  | { readonly allowed: false; readonly retryAfterSec: number }

export function upstreamMemory(): UpstreamMemory {
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
      const entered = enter(breakers.get(origin) ?? CLOSED, nowMs)
      if (!entered.allowed) return entered
      keep(origin, entered.breaker)
      const { probe } = entered
      return {
        allowed: true,
        done: (atMs, failed) => {
          keep(origin, leave(breakers.get(origin) ?? CLOSED, atMs, { failed, probe }))
        },
      }
    },
  }
}

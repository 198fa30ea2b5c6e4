/**
 * The circuit breakers of one environment. A request is sent only if all three of its breakers
 * allow:
 *
 *   breaker   kept per         opened by                          refuses
 *   caller    origin and uid   any failure                        this caller alone
 *   reach     origin           connections that failed            every caller
 *   service   origin           failures of three users or more    every caller
 *
 * One user can make an upstream answer 5xx, drop the connection or take too long, at will and at no
 * cost, since a failed call is refunded. So what follows after a request was sent must not refuse
 * the calls of another user. No argument can make a connection fail.
 */

import { keepYoungest } from '../../cache/keep-youngest.ts'
import { type Breaker, CLOSED, enter, giveBack, leave } from '../../call/breaker.ts'
import type { BreakerReport } from '../../call/dry-run.ts'

/** Origins remembered. Past the limit the least recently used one is forgotten. */
export const ORIGINS_MAX = 1_000
/** Pairs of origin and user remembered, with the same rule. */
export const CALLERS_MAX = 5_000
/** Users whose calls must have failed before the service breaker refuses every caller. */
export const FAILING_USERS_MIN = 3
/** Time for which a user's failure counts: the window of a breaker. */
export const FAILING_USER_MS = 30_000

export type CircuitBreakers = {
  /** Asks whether a request may be sent. If so, the sender calls `done` once, when it has ended. */
  enter(to: BreakerKey, nowMs: number): BreakerAnswer
  /** What a send would meet now; changes nothing. */
  look(at: BreakerKey, nowMs: number): BreakerReport
}

type BreakerKey = { readonly origin: string; readonly uid: string }

export type BreakerAnswer =
  | { readonly allowed: true; done(nowMs: number, evidence: BreakerEvidence): void }
  | { readonly allowed: false; readonly retryAfterSec: number }

/**
 * `down`: no connection could be made. `fails`: a 5xx answer, one that cannot be read, or none in
 * time or at all. `nothing`: the end tells nothing about the upstream, since the caller left or the
 * target was refused.
 */
export type BreakerEvidence = 'works' | 'fails' | 'down' | 'nothing'

type Upstream = {
  reach: Breaker
  service: Breaker
  /** By uid: the last failure of each of the last {@link FAILING_USERS_MIN} users with one. */
  readonly failedAtMs: Map<string, number>
}

type Caller = { breaker: Breaker }

export function circuitBreakers(): CircuitBreakers {
  const upstreams = new Map<string, Upstream>()
  const callers = new Map<string, Caller>()
  return {
    enter: ({ origin, uid }, nowMs) => {
      const upstream = recall(upstreams, origin, ORIGINS_MAX, newUpstream)
      const caller = recall(callers, `${origin} ${uid}`, CALLERS_MAX, newCaller)
      const reach = enter(upstream.reach, nowMs)
      if (!reach.allowed) return reach
      const service = enter(upstream.service, nowMs)
      if (!service.allowed) return service
      const own = enter(caller.breaker, nowMs)
      if (!own.allowed) return own
      // Stored only now, so that a refusal uses up no probe of another breaker.
      upstream.reach = reach.breaker
      upstream.service = service.breaker
      caller.breaker = own.breaker
      return {
        allowed: true,
        done: (atMs, evidence) => {
          if (evidence === 'nothing') {
            upstream.reach = giveBack(upstream.reach, reach)
            upstream.service = giveBack(upstream.service, service)
            caller.breaker = giveBack(caller.breaker, own)
            return
          }
          const failed = evidence !== 'works'
          if (failed) noteFailure(upstream.failedAtMs, uid, atMs)
          const mayOpen = failed && failingUsers(upstream.failedAtMs, atMs) >= FAILING_USERS_MIN
          const isDown = evidence === 'down'
          upstream.reach = leave(upstream.reach, atMs, { failed: isDown, probe: reach.probe })
          upstream.service = leave(upstream.service, atMs, {
            failed,
            probe: service.probe,
            mayOpen,
          })
          caller.breaker = leave(caller.breaker, atMs, { failed, probe: own.probe })
        },
      }
    },
    look: ({ origin, uid }, nowMs) => {
      const { reach = CLOSED, service = CLOSED } = upstreams.get(origin) ?? {}
      const caller = callers.get(`${origin} ${uid}`)?.breaker ?? CLOSED
      return reportOf({ reach, service, caller }, nowMs)
    },
  }
}

/** Of the first that is not closed, in the order in which a send asks them. */
function reportOf(breakers: { readonly [of in BreakerName]: Breaker }, nowMs: number) {
  for (const of of BREAKER_NAMES) {
    const asked = enter(breakers[of], nowMs)
    if (!asked.allowed) return { state: 'open', of, retryAfterSec: asked.retryAfterSec } as const
    if (asked.probe) return { state: 'half-open', of } as const
  }
  return { state: 'closed' } as const
}

type BreakerName = NonNullable<BreakerReport['of']>

const BREAKER_NAMES: readonly BreakerName[] = ['reach', 'service', 'caller']

function newUpstream(): Upstream {
  return { reach: CLOSED, service: CLOSED, failedAtMs: new Map() }
}

function newCaller(): Caller {
  return { breaker: CLOSED }
}

/** The entry is the most recently used from here on. */
function recall<T>(known: Map<string, T>, name: string, countMax: number, fresh: () => T): T {
  const entry = known.get(name) ?? fresh()
  keepYoungest(known, name, entry, countMax)
  return entry
}

function noteFailure(failedAtMs: Map<string, number>, uid: string, atMs: number): void {
  keepYoungest(failedAtMs, uid, atMs, FAILING_USERS_MIN)
}

function failingUsers(failedAtMs: ReadonlyMap<string, number>, nowMs: number): number {
  let count = 0
  for (const atMs of failedAtMs.values()) if (nowMs - atMs < FAILING_USER_MS) count += 1
  return count
}

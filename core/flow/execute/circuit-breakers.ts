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
 * cost, since a failed call is refunded. So failures that follow a sent request open only that
 * user's breaker, unless several users have them. No argument of a call can make a connection fail,
 * so one user's failed connections may refuse everybody.
 */

import { keepYoungest } from '../../cache/keep-youngest.ts'
import {
  type Breaker,
  CLOSED_BREAKER,
  enterBreaker,
  leaveBreaker,
  releaseProbe,
} from '../../call/breaker.ts'
import type { BreakerReport } from '../../call/dry-run.ts'

/** Origins remembered. Past the limit the least recently used one is forgotten. */
export const ORIGINS_MAX = 1_000
/** Pairs of origin and user remembered. Past the limit the least recently used one is forgotten. */
export const CALLERS_MAX = 5_000
/** So many users must have failed calls before the service breaker refuses every caller. */
export const FAILING_USERS_MIN = 3
/** Time for which a user's failure counts: the window of a breaker. */
export const FAILING_USER_MS = 30_000

export type CircuitBreakers = {
  /** May a request be sent? If so, the sender calls `done` once, when the request has ended. */
  enter(to: BreakerKey, nowMs: number): BreakerAnswer
  /** The state that a send would meet now. Changes nothing. */
  report(key: BreakerKey, nowMs: number): BreakerReport
}

type BreakerKey = { readonly origin: string; readonly uid: string }

export type BreakerAnswer =
  | { readonly allowed: true; done(nowMs: number, evidence: BreakerEvidence): void }
  | { readonly allowed: false; readonly retryAfterSec: number }

/**
 * - `down`: no connection could be made.
 * - `fails`: a 5xx answer, an answer that cannot be read, or no answer in time or at all.
 * - `nothing`: the end says nothing about the upstream: the caller left, or the target was refused.
 */
export type BreakerEvidence = 'works' | 'fails' | 'down' | 'nothing'

type Upstream = {
  reach: Breaker
  service: Breaker
  /** The last failure of each of the last {@link FAILING_USERS_MIN} failing users, by uid. */
  readonly failedAtMs: Map<string, number>
}

type Caller = { breaker: Breaker }

/** The breakers of one environment, all closed. */
export function makeCircuitBreakers(): CircuitBreakers {
  const upstreams = new Map<string, Upstream>()
  const callers = new Map<string, Caller>()
  return {
    enter: ({ origin, uid }, nowMs) => {
      const upstream = recall(upstreams, origin, ORIGINS_MAX, newUpstream)
      const caller = recall(callers, `${origin} ${uid}`, CALLERS_MAX, newCaller)
      const reach = enterBreaker(upstream.reach, nowMs)
      if (!reach.allowed) return reach
      const service = enterBreaker(upstream.service, nowMs)
      if (!service.allowed) return service
      const own = enterBreaker(caller.breaker, nowMs)
      if (!own.allowed) return own
      // Stored only now, so that a refusal uses up no probe of another breaker.
      upstream.reach = reach.breaker
      upstream.service = service.breaker
      caller.breaker = own.breaker
      return {
        allowed: true,
        done: (atMs, evidence) => {
          if (evidence === 'nothing') {
            upstream.reach = releaseProbe(upstream.reach, reach)
            upstream.service = releaseProbe(upstream.service, service)
            caller.breaker = releaseProbe(caller.breaker, own)
            return
          }
          const failed = evidence !== 'works'
          if (failed) noteFailure(upstream.failedAtMs, uid, atMs)
          const mayOpen =
            failed && countFailingUsers(upstream.failedAtMs, atMs) >= FAILING_USERS_MIN
          const isDown = evidence === 'down'
          upstream.reach = leaveBreaker(upstream.reach, atMs, {
            failed: isDown,
            probe: reach.probe,
          })
          upstream.service = leaveBreaker(upstream.service, atMs, {
            failed,
            probe: service.probe,
            mayOpen,
          })
          caller.breaker = leaveBreaker(caller.breaker, atMs, { failed, probe: own.probe })
        },
      }
    },
    report: ({ origin, uid }, nowMs) => {
      const { reach = CLOSED_BREAKER, service = CLOSED_BREAKER } = upstreams.get(origin) ?? {}
      const caller = callers.get(`${origin} ${uid}`)?.breaker ?? CLOSED_BREAKER
      return toReport({ reach, service, caller }, nowMs)
    },
  }
}

/** The first breaker that is not closed, in the order in which a send meets them. */
function toReport(breakers: { readonly [of in BreakerName]: Breaker }, nowMs: number) {
  for (const of of BREAKER_NAMES) {
    const entry = enterBreaker(breakers[of], nowMs)
    if (!entry.allowed) return { state: 'open', of, retryAfterSec: entry.retryAfterSec } as const
    if (entry.probe) return { state: 'half-open', of } as const
  }
  return { state: 'closed' } as const
}

type BreakerName = NonNullable<BreakerReport['of']>

const BREAKER_NAMES: readonly BreakerName[] = ['reach', 'service', 'caller']

function newUpstream(): Upstream {
  return { reach: CLOSED_BREAKER, service: CLOSED_BREAKER, failedAtMs: new Map() }
}

function newCaller(): Caller {
  return { breaker: CLOSED_BREAKER }
}

/** Returns the entry of `name`, new if there is none, and makes it the most recently used one. */
function recall<T>(entries: Map<string, T>, name: string, countMax: number, makeNew: () => T): T {
  const entry = entries.get(name) ?? makeNew()
  keepYoungest(entries, name, entry, countMax)
  return entry
}

function noteFailure(failedAtMs: Map<string, number>, uid: string, atMs: number): void {
  keepYoungest(failedAtMs, uid, atMs, FAILING_USERS_MIN)
}

function countFailingUsers(failedAtMs: ReadonlyMap<string, number>, nowMs: number): number {
  let count = 0
  for (const atMs of failedAtMs.values()) if (nowMs - atMs < FAILING_USER_MS) count += 1
  return count
}

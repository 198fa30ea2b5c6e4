/**
 * What one environment remembers of the upstreams that it calls: three breakers stand before a send.
 *
 *   of the caller   origin and uid   any failure               this caller alone is refused
 *   of the reach    origin           no connection, timeouts   everybody is refused
 *   of the service  origin           failures of all callers   everybody, once three users had failures
 *
 * One user can make an upstream answer 5xx at will, with arguments of their own and at no cost (a failed
 * call is refunded), so the failures of one user close nothing to another.
 */
import { type Breaker, CLOSED, enter, giveBack, leave } from '../../call/breaker.ts'

/** Origins remembered; past it the one that was asked for longest ago is forgotten. */
export const ORIGINS_MAX = 1_000
/** Pairs of origin and user remembered, in the same way. */
export const CALLERS_MAX = 5_000
/** Users whose calls must have failed before failures of the service refuse everybody. */
export const FAILING_USERS_MIN = 3
/** A failure of a user counts for so long: as long as the window of a breaker. */
export const FAILING_USER_MS = 30_000

export type CircuitBreakers = {
  /** Asks to send: `done` is to be called once, with what the send tells of the upstream. */
  enter(to: { readonly origin: string; readonly uid: string }, nowMs: number): BreakerAnswer
}

export type BreakerAnswer =
  | { readonly allowed: true; done(nowMs: number, evidence: BreakerEvidence): void }
  | { readonly allowed: false; readonly retryAfterSec: number }

/**
 * `fails`: an answer that says so (5xx). `down`: no connection, or no answer in time. `nothing`: a caller
 * who left, or a target that was refused.
 */
export type BreakerEvidence = 'works' | 'fails' | 'down' | 'nothing'

type Upstream = {
  reach: Breaker
  service: Breaker
  /** When a call of a user last failed, of the last {@link FAILING_USERS_MIN} such users. */
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
      // Only now, so that a refusal takes no other breaker's probe.
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
  }
}

function newUpstream(): Upstream {
  return { reach: CLOSED, service: CLOSED, failedAtMs: new Map() }
}

function newCaller(): Caller {
  return { breaker: CLOSED }
}

/** Moves the entry to the end: the first of a Map is the one asked for longest ago. */
function recall<T>(known: Map<string, T>, name: string, countMax: number, fresh: () => T): T {
  const entry = known.get(name) ?? fresh()
  known.delete(name)
  known.set(name, entry)
  if (known.size > countMax) dropFirst(known)
  return entry
}

function noteFailure(failedAtMs: Map<string, number>, uid: string, atMs: number): void {
  failedAtMs.delete(uid)
  failedAtMs.set(uid, atMs)
  if (failedAtMs.size > FAILING_USERS_MIN) dropFirst(failedAtMs)
}

function failingUsers(failedAtMs: ReadonlyMap<string, number>, nowMs: number): number {
  let count = 0
  for (const atMs of failedAtMs.values()) if (nowMs - atMs < FAILING_USER_MS) count += 1
  return count
}

function dropFirst(map: Map<string, unknown>): void {
  for (const first of map.keys()) {
    map.delete(first)
    return
  }
}

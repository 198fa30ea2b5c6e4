/**
 * Decides whether one more stream may open. Pure: the flow `open-session` reads the leases and acts
 * on the decision. Bound by docs/service.md, Stream leases: 20 per key; the 21st ends the stream
 * that has gone longest without a POST, and is refused only if all had one within 60 s. Totals
 * follow from the function's concurrency.
 *
 * Several openers at once: each writes its own lease before it reads the list, and counts every other
 * lease that it finds. Of two that overlap, the one whose lease was written last has the other in its
 * list, so the limits hold whatever the order:
 *
 *   A: put ── list: A ✔                     A: put ─────── list: A, B      A, older, waits for B
 *   B:           put ── list: A, B ✘        B:    put ── list: A, B        B, younger, counts A
 *
 * Where both find each other, the older one, by its clock, does not end the younger one. It reads
 * again once the younger one has decided (core/flow/access/claim-stream-slot.ts).
 */
import type { StreamLimits } from '../settings.ts'
import { ANONYMOUS, type StreamLease } from './session.ts'

/** A stream with a POST within this time is in use, and is not ended in favour of another. */
export const IN_USE_MS = 60_000
/** The Retry-After of a refused opener. */
export const STREAM_RETRY_AFTER_SEC = 60

export type LeaseJudgement =
  | { readonly kind: 'fits' }
  | {
      readonly kind: 'full'
      readonly limit: 'total' | 'anonymous'
      readonly max: number
      readonly contested: boolean
    }
  /** `surplus` of this key's streams must end; `others` are its older leases, oldest first. */
  | {
      readonly kind: 'key-full'
      readonly surplus: number
      readonly others: readonly StreamLease[]
      readonly contested: boolean
    }

/** `contested`: younger leases are among those counted, and may be about to go. */
export function judgeLeases(
  leases: readonly StreamLease[],
  own: StreamLease,
  limits: StreamLimits,
): LeaseJudgement {
  const others = leases.filter((one) => one.session !== own.session)
  const sameKey = others.filter((one) => one.keyHash === own.keyHash)
  const contested = (counted: readonly StreamLease[]) => counted.some((one) => isYounger(one, own))
  if (others.length >= limits.totalMax) {
    return { kind: 'full', limit: 'total', max: limits.totalMax, contested: contested(others) }
  }
  if (own.keyHash === ANONYMOUS) {
    if (sameKey.length < limits.anonymousMax) return { kind: 'fits' }
    const max = limits.anonymousMax
    return { kind: 'full', limit: 'anonymous', max, contested: contested(sameKey) }
  }
  const surplus = sameKey.length + 1 - limits.perKeyMax
  if (surplus <= 0) return { kind: 'fits' }
  const older = sameKey.filter((one) => !isYounger(one, own)).sort(byAge)
  return { kind: 'key-full', surplus, others: older, contested: contested(sameKey) }
}

/** The streams of a key to end; undefined when too many of them are in use. */
export function chooseEvicted(
  others: readonly {
    readonly session: string
    readonly lastPostAtMs: number
    readonly posted: boolean
  }[],
  surplus: number,
  nowMs: number,
): readonly string[] | undefined {
  const idle = others
    .filter((one) => !one.posted || nowMs - one.lastPostAtMs >= IN_USE_MS)
    .sort((a, b) => a.lastPostAtMs - b.lastPostAtMs || compare(a.session, b.session))
  if (idle.length < surplus) return undefined
  return idle.slice(0, surplus).map((one) => one.session)
}

/** Two of the same millisecond may end each other. */
function isYounger(lease: StreamLease, own: StreamLease): boolean {
  return lease.openedAtMs > own.openedAtMs
}

function byAge(a: StreamLease, b: StreamLease): number {
  return a.openedAtMs - b.openedAtMs || compare(a.session, b.session)
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

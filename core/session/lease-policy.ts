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
 * Where both find each other, the older one, by its clock, has the better right. The younger one is refused
 * at once if older streams alone fill the places. The older one does not end the younger one, and waits for
 * it only if its own lease may have come too late for the younger one's list, as B's for A's above. A lease
 * that was not in its first list was written after its own, so that opener counts it (ADR 0058).
 */
import type { StreamLimits } from '../settings.ts'
import { ANONYMOUS, type OpeningCount, type StreamLease } from './session.ts'

/** How often an opener reads the list while younger ones are in its way, at least… */
export const CLAIM_TRIES_MIN = 3
/** …and so much oftener as there are fewer older openers than this, so that the younger ones give way first. */
export const CLAIM_RANKS = 8
/** Leases of this time before an opening belong to openers that may not have decided yet. */
const CONTEST_MS = 5_000

/** How long a list of all leases bounds the number of streams, together with the openings since. */
export const LIST_AGE_MAX_MS = 60_000
/** Of all places: up to here a bound is enough, past it each opener lists all leases. */
const TRUSTED_SHARE = 7 / 8

/** True where no more streams can be open than there are places, so that the leases of the opener's key decide. */
export function hasRoom({ atMost }: OpeningCount, { totalMax }: StreamLimits): boolean {
  return atMost <= Math.floor(totalMax * TRUSTED_SHARE)
}

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

/** `contested`: without the younger leases among those counted, which may be about to go, it would fit. */
export function judgeLeases(
  leases: readonly StreamLease[],
  own: StreamLease,
  limits: StreamLimits,
): LeaseJudgement {
  const others = leases.filter((one) => one.session !== own.session)
  const sameKey = others.filter((one) => one.keyHash === own.keyHash)
  if (others.length >= limits.totalMax) return full('total', limits.totalMax, others, own)
  if (own.keyHash === ANONYMOUS) {
    const max = limits.anonymousMax
    return sameKey.length < max ? { kind: 'fits' } : full('anonymous', max, sameKey, own)
  }
  const surplus = sameKey.length + 1 - limits.perKeyMax
  if (surplus <= 0) return { kind: 'fits' }
  const older = sameKey.filter((one) => !isYounger(one, own)).sort(byAge)
  return { kind: 'key-full', surplus, others: older, contested: older.length < sameKey.length }
}

/** The leases that an opener counts, which saw the sessions `seenFirst` in its first list. */
export function countedLeases(
  leases: readonly StreamLease[],
  own: StreamLease,
  seenFirst: ReadonlySet<string>,
): readonly StreamLease[] {
  return leases.filter((one) => !isYounger(one, own) || seenFirst.has(one.session))
}

/**
 * After how many looks an opener gives way. Two that find each other may also find a younger stream that
 * has its place already, and cannot tell it from an opener: if both gave way, the place would stay free.
 */
export function claimTriesMax(leases: readonly StreamLease[], own: StreamLease): number {
  const sinceMs = own.openedAtMs - CONTEST_MS
  const older = leases.filter((one) => byAge(one, own) < 0 && one.openedAtMs > sinceMs)
  return CLAIM_TRIES_MIN + Math.max(0, CLAIM_RANKS - older.length)
}

function full(
  limit: 'total' | 'anonymous',
  max: number,
  counted: readonly StreamLease[],
  own: StreamLease,
): LeaseJudgement {
  const olderCount = counted.filter((one) => !isYounger(one, own)).length
  return { kind: 'full', limit, max, contested: olderCount < max }
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

function isYounger(lease: StreamLease, own: StreamLease): boolean {
  return byAge(lease, own) > 0
}

function byAge(a: StreamLease, b: StreamLease): number {
  return a.openedAtMs - b.openedAtMs || compare(a.session, b.session)
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

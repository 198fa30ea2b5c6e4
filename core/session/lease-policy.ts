/**
 * Decides whether one more stream may open. The flow `claim-stream-slot` reads the leases and
 * carries out the decision. Bound by docs/service.md, Stream leases: 20 streams per key. The 21st
 * ends the stream with the longest time since its last POST; it is refused only if all had a POST
 * within 60 s. The limits of all streams follow from the function's concurrency.
 *
 * Concurrent openers: each writes its own lease before it reads the list, and counts every other
 * lease in it. Of two that overlap, the one whose lease was written last has the other in its list,
 * so the limits hold in any order:
 *
 *   A: put ── list: A ✔                     A: put ─────── list: A, B      A, older, waits for B
 *   B:           put ── list: A, B ✘        B:    put ── list: A, B        B, younger, counts A
 *
 * If both find each other, the older one by its clock has priority. The younger one is refused at
 * once if older streams alone fill the slots. The older one does not end the younger one. It waits
 * for the younger one only if its own lease may have come too late for that one's list, like B's
 * for A's above. A lease that was not in the own first list was written later, so its opener counts
 * the own lease (docs/design/streams.md#leases).
 */
import type { StreamLimits } from '../settings.ts'
import { ANONYMOUS, type OpeningCount, type StreamLease } from './session.ts'

/** How often an opener reads the list at least, while younger openers are in its way. */
export const LEASE_READS_MIN = 3
/**
 * With fewer older openers than this, an opener reads the list once more for each that is missing.
 * Younger ones give way first.
 */
export const LEASE_READS_RANKS = 8
/** Openers whose lease is at most this much older may not have decided yet. */
const CONTEST_MS = 5_000

/** How long a list of all leases gives an upper bound, together with the openings since. */
export const LIST_AGE_MAX_MS = 60_000
/** Up to this share of all slots a bound is enough. Above it, each opener lists all leases. */
const TRUSTED_SHARE = 7 / 8

/** True if the bound leaves room, so that only the leases of the opener's key decide. */
export function hasRoom({ atMost }: OpeningCount, { totalMax }: StreamLimits): boolean {
  return atMost <= Math.floor(totalMax * TRUSTED_SHARE)
}

/** A stream with a POST within this time is in use and is not ended for another one. */
export const IN_USE_MS = 60_000
/** The Retry-After of a refused opening. */
export const STREAM_RETRY_AFTER_SEC = 60

export type LeaseDecision =
  | { readonly kind: 'fits' }
  | {
      readonly kind: 'full'
      readonly limit: 'total' | 'anonymous'
      readonly max: number
      readonly contested: boolean
    }
  /** `surplus` streams of this key must end; `others` are its older leases, oldest first. */
  | {
      readonly kind: 'key-full'
      readonly surplus: number
      readonly others: readonly StreamLease[]
      readonly contested: boolean
    }

/**
 * `contested`: the stream would fit without the counted younger leases, which may soon be removed.
 */
export function decideLease(
  leases: readonly StreamLease[],
  own: StreamLease,
  limits: StreamLimits,
): LeaseDecision {
  const others = leases.filter((one) => one.session !== own.session)
  const sameKey = others.filter((one) => one.keyHash === own.keyHash)
  if (others.length >= limits.totalMax) return toFull('total', limits.totalMax, others, own)
  if (own.keyHash === ANONYMOUS) {
    const max = limits.anonymousMax
    return sameKey.length < max ? { kind: 'fits' } : toFull('anonymous', max, sameKey, own)
  }
  const surplus = sameKey.length + 1 - limits.perKeyMax
  if (surplus <= 0) return { kind: 'fits' }
  const older = sameKey.filter((one) => !isYounger(one, own)).sort(compareAge)
  return { kind: 'key-full', surplus, others: older, contested: older.length < sameKey.length }
}

/** The leases that an opener counts. `seenFirst` are the sessions in its first list. */
export function filterCountedLeases(
  leases: readonly StreamLease[],
  own: StreamLease,
  seenFirst: ReadonlySet<string>,
): readonly StreamLease[] {
  return leases.filter((one) => !isYounger(one, own) || seenFirst.has(one.session))
}

/**
 * After how many reads of the list an opener gives way. Two openers that find each other may also
 * find a younger stream that has its slot already and looks like an opener. If both gave way, the
 * slot would stay free.
 */
export function computeLeaseReadsMax(leases: readonly StreamLease[], own: StreamLease): number {
  const sinceMs = own.openedAtMs - CONTEST_MS
  const older = leases.filter((one) => compareAge(one, own) < 0 && one.openedAtMs > sinceMs)
  return LEASE_READS_MIN + Math.max(0, LEASE_READS_RANKS - older.length)
}

function toFull(
  limit: 'total' | 'anonymous',
  max: number,
  counted: readonly StreamLease[],
  own: StreamLease,
): LeaseDecision {
  const olderCount = counted.filter((one) => !isYounger(one, own)).length
  return { kind: 'full', limit, max, contested: olderCount < max }
}

/** The streams of a key to end, idlest first; undefined if too many are in use. */
export function chooseStreamsToEnd(
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
    .sort((a, b) => a.lastPostAtMs - b.lastPostAtMs || compareText(a.session, b.session))
  if (idle.length < surplus) return undefined
  return idle.slice(0, surplus).map((one) => one.session)
}

function isYounger(lease: StreamLease, own: StreamLease): boolean {
  return compareAge(lease, own) > 0
}

function compareAge(a: StreamLease, b: StreamLease): number {
  return a.openedAtMs - b.openedAtMs || compareText(a.session, b.session)
}

function compareText(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/**
 * Decides whether one more stream may open. Pure: the flow `open-session` reads the leases and acts
 * on the decision. Bound by docs/service.md, Stream leases: 20 per key; the 21st ends the stream
 * that has gone longest without a POST, and is refused only if all had one within 60 s. Totals
 * follow from the function's concurrency.
 *
 * Several openers at once: each writes its own lease before it reads the list, and counts and ends
 * only older leases. So two that open at once do not end each other, and the limit holds for every
 * opener that begins after the others have opened. Of openers that overlap, an older one whose lease
 * is written after a younger one has read the list is counted by neither: a key may have that many
 * more streams.
 */
import type { StreamLimits } from '../settings.ts'
import { ANONYMOUS, type StreamLease } from './session.ts'

/** A stream with a POST within this time is in use, and is not ended in favour of another. */
export const IN_USE_MS = 60_000
/** The Retry-After of a refused opener. */
export const STREAM_RETRY_AFTER_SEC = 60

export type LeaseJudgement =
  | { readonly kind: 'fits' }
  | { readonly kind: 'full'; readonly limit: 'total' | 'anonymous'; readonly max: number }
  /** `surplus` of this key's streams must end; `others` are its older leases, oldest first. */
  | { readonly kind: 'key-full'; readonly surplus: number; readonly others: readonly StreamLease[] }

export function judgeLeases(
  leases: readonly StreamLease[],
  own: StreamLease,
  limits: StreamLimits,
): LeaseJudgement {
  const older = leases.filter((one) => one.session !== own.session && !isYounger(one, own))
  const sameKey = older.filter((one) => one.keyHash === own.keyHash).sort(byAge)
  if (older.length >= limits.totalMax) {
    return { kind: 'full', limit: 'total', max: limits.totalMax }
  }
  if (own.keyHash === ANONYMOUS) {
    return sameKey.length >= limits.anonymousMax
      ? { kind: 'full', limit: 'anonymous', max: limits.anonymousMax }
      : { kind: 'fits' }
  }
  const surplus = sameKey.length + 1 - limits.perKeyMax
  return surplus <= 0 ? { kind: 'fits' } : { kind: 'key-full', surplus, others: sameKey }
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

/**
 * True for a later stream. Two of the same millisecond count each other, so that the limit holds.
 */
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

/**
 * When a stream leaves whose lease is not renewed. From then on, by its own clock, the stream writes nothing more and
 * takes no answer to a renewal. Bound by docs/service.md, Stream leases.
 *
 *   stream    renewal sent ─────── hangs ─────▶ leaves ◀─ margin ─▶           ◀─ answer: not taken
 *   store                                                          runs out  ── renewal carried out
 *   another                                                         lists: the place is free
 * The store may carry a renewal out after the lease has run out, and nobody can tell from the answer. A stream that took
 * such an answer would hold a place twice.
 */

/** For clocks that differ, and for an event loop that is late; one heartbeat. */
export const LEASE_MARGIN_MS = 5_000

/** `leasedUntilMs`: as the store confirmed last. */
export function leaveAtMs(leasedUntilMs: number): number {
  return leasedUntilMs - LEASE_MARGIN_MS
}

export function hasLapsed(leasedUntilMs: number, nowMs: number): boolean {
  return nowMs >= leaveAtMs(leasedUntilMs)
}

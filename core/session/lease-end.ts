/**
 * When a stream must leave because its lease is not renewed. From then on, by its own clock, the
 * stream writes nothing and ignores the answer to a renewal. Bound by docs/service.md, Stream
 * leases.
 *
 *   stream    renewal sent ───── hangs ────▶ leaves ◀─ margin ─▶           ◀─ answer: ignored
 *   store                                                     expires ── renewal carried out
 *   another                                                     lists: the slot is free
 *
 * The store may carry out a renewal after the lease has expired, and its answer does not say so. A
 * stream that accepted such an answer would hold a slot twice.
 */

/** One heartbeat: allows for clocks that differ and for an event loop that is late. */
export const LEASE_MARGIN_MS = 5_000

/** `leasedUntilMs` is the expiry that the store confirmed last. */
export function toLeaveAtMs(leasedUntilMs: number): number {
  return leasedUntilMs - LEASE_MARGIN_MS
}

/** True from the time on at which the stream must leave. */
export function mustLeave(leasedUntilMs: number, nowMs: number): boolean {
  return nowMs >= toLeaveAtMs(leasedUntilMs)
}

/**
 * The time from which lists of calls are complete. The store keeps the outcome of a call for the
 * hot time, from the start of the call. If the hot time was made longer, calls before the change
 * still expire after the former time.
 */
import type { Settings } from '../settings.ts'

/** Milliseconds since 1970. */
export function keptSince(nowMs: number, { ledgerHotMs }: Pick<Settings, 'ledgerHotMs'>): number {
  return Math.max(0, nowMs - ledgerHotMs)
}

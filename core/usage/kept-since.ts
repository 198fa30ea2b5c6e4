/**
 * From when on lists of calls are complete: the store keeps how a call ended for the hot time, from the
 * start of the call. Where that time was made longer, calls before the change still end with the former one.
 */
import type { Settings } from '../settings.ts'

export function keptSince(nowMs: number, { ledgerHotMs }: Pick<Settings, 'ledgerHotMs'>): number {
  return Math.max(0, nowMs - ledgerHotMs)
}

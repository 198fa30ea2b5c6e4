/**
 * Slots of ten minutes and hours, both counted since 1970. Pages of calls are stored by slot, sums
 * by hour. A call belongs to the slot in which it started, however late its outcome is.
 */
export const SLOT_MS = 600_000
export const HOUR_MS = 3_600_000
export const SLOTS_PER_HOUR = HOUR_MS / SLOT_MS

export function toSlot(atMs: number): number {
  return Math.floor(atMs / SLOT_MS)
}

export function toHour(atMs: number): number {
  return Math.floor(atMs / HOUR_MS)
}

/** The slots of an hour in the order of time. */
export function listSlots(hour: number): readonly number[] {
  return Array.from({ length: SLOTS_PER_HOUR }, (_, index) => hour * SLOTS_PER_HOUR + index)
}

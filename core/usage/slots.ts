/**
 * Time in slots of ten minutes and in hours, counted since 1970: pages of calls are kept by slot,
 * sums by hour. A call belongs to the slot in which it started, whenever its outcome comes.
 */
export const SLOT_MS = 600_000
export const HOUR_MS = 3_600_000
export const SLOTS_PER_HOUR = HOUR_MS / SLOT_MS

export function slotOf(atMs: number): number {
  return Math.floor(atMs / SLOT_MS)
}

export function hourOf(atMs: number): number {
  return Math.floor(atMs / HOUR_MS)
}

export function hourOfSlot(slot: number): number {
  return Math.floor(slot / SLOTS_PER_HOUR)
}

/** In the order of time. */
export function slotsOf(hour: number): readonly number[] {
  return Array.from({ length: SLOTS_PER_HOUR }, (_, index) => hour * SLOTS_PER_HOUR + index)
}

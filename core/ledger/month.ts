/** Months of the UTC calendar as sortable texts. */

/** `2026-11`. Texts of months sort by time. */
export type Month = string

/** The month of a time in milliseconds since 1970. */
export function toMonth(atMs: number): Month {
  return new Date(atMs).toISOString().slice(0, 7)
}

/** The first day of the next month: `2026-12-01`. */
export function toRenewalDay(month: Month): string {
  const year = Number(month.slice(0, 4))
  const next = Number(month.slice(5)) + 1
  return new Date(Date.UTC(year, next - 1, 1)).toISOString().slice(0, 10)
}

/** Times in requests: RFC 3339 in UTC, or a date, which means the start of that UTC day. */

/** For JSON Schemas. It matches the 31st of June, too, which {@link readUtcTime} refuses. */
export const UTC_TIME_PATTERN = '^\\d{4}-\\d{2}-\\d{2}(?:T\\d{2}:\\d{2}:\\d{2}(?:\\.\\d{1,3})?Z)?$'
export const UTC_TIME_RULE = 'must be a time in UTC such as 2026-11-22T21:30:00Z, or a date'
export const UTC_DAY_PATTERN = '^\\d{4}-\\d{2}-\\d{2}$'
export const UTC_DAY_RULE = 'must be a day such as 2026-11-22'

export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000

const UTC_TIME = new RegExp(UTC_TIME_PATTERN)

/** Returns the time in ms; undefined for another form, and for a day that does not exist. */
export function readUtcTime(text: string): number | undefined {
  if (!UTC_TIME.test(text)) return undefined
  const atMs = Date.parse(text)
  return Number.isFinite(atMs) && toUtcDay(atMs) === text.slice(0, 10) ? atMs : undefined
}

/** Writes the UTC day: `2026-11-22`. */
export function toUtcDay(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10)
}

/** Writes the time without fractions of a second: `2026-11-22T08:00:00Z`. */
export function toUtcSecond(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19)}Z`
}

/** Returns the first ms of a day; NaN for a text that is not a day. */
export function parseDayStart(day: string): number {
  return Date.parse(`${day}T00:00:00Z`)
}

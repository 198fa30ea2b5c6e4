/** Writes a time as a person says it: `2 min ago`, `in 3 h`. */

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** Times that are further away than this are written as a date. */
const RELATIVE_DAYS_MAX = 30
/** The clocks of a gateway and of its reader differ by some seconds. */
const CLOCKS_DIFFER_MS = 5_000

/** Both arguments are milliseconds since 1970. */
export function formatRelative(ms: number, nowMs: number): string {
  // What ends in an hour ends in 59 min a moment later, which reads like another time.
  const distanceMs = ms > nowMs ? ms - nowMs + MINUTE_MS / 2 : nowMs - ms
  if (Math.abs(ms - nowMs) <= CLOCKS_DIFFER_MS) return 'just now'
  if (distanceMs < MINUTE_MS) return ms > nowMs ? 'in a moment' : 'just now'
  const days = Math.floor(distanceMs / DAY_MS)
  if (days > RELATIVE_DAYS_MAX) return new Date(ms).toISOString().slice(0, 10)
  const distance = formatDistance(distanceMs, days)
  return ms > nowMs ? `in ${distance}` : `${distance} ago`
}

function formatDistance(ms: number, days: number): string {
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`
  if (days === 0) return `${Math.floor(ms / HOUR_MS)} h`
  return days === 1 ? '1 day' : `${days} days`
}

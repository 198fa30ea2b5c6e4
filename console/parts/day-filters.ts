/** The days of a list of calls: whole days of the reader's zone, sent as moments. */
import type { Filter } from './list-page.tsx'

/**
 * Returns the start of a day in the reader's zone, or of a later one, in milliseconds. A day of the
 * zone may have 23 or 25 hours. Empty for what is no date, such as one that is half typed.
 */
export function toDayStart(date = '', daysLater = 0): string {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number)
  const ms = new Date(year, month - 1, day + daysLater).getTime()
  return date === '' || Number.isNaN(ms) ? '' : String(ms)
}

export const DAY_FILTERS: readonly Filter[] = [
  { name: 'since', label: 'From the day', type: 'date', toSent: toDayStart },
  {
    name: 'until',
    label: 'To the day, included',
    type: 'date',
    toSent: (date) => toDayStart(date, 1),
  },
]

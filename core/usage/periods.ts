/**
 * Hours, days and months of UTC, for each of which sums are stored. A period has a number: hours
 * and days are counted since 1970, months since the year 0.
 */
import type { Month } from '../ledger/month.ts'
import { HOUR_MS, toHour } from './slots.ts'

/** From the finest on; the sums of a level are made of those of the level before it. */
export const LEVELS = ['hour', 'day', 'month'] as const
export type Level = (typeof LEVELS)[number]
/** The levels whose sums are made of stored sums. */
export type LongLevel = Exclude<Level, 'hour'>

export type Period = { readonly level: Level; readonly index: number }

/** Periods of one level, both ends included. */
export type PeriodRange = { readonly level: Level; readonly from: number; readonly to: number }

const HOURS_PER_DAY = 24
const DAY_MS = HOURS_PER_DAY * HOUR_MS

/** The number of the period that has this time. */
export function toPeriodIndex(level: Level, atMs: number): number {
  switch (level) {
    case 'hour':
      return toHour(atMs)
    case 'day':
      return Math.floor(atMs / DAY_MS)
    case 'month': {
      const date = new Date(atMs)
      return 12 * date.getUTCFullYear() + date.getUTCMonth()
    }
    default:
      return level satisfies never
  }
}

/** Milliseconds since 1970. */
export function toPeriodStartMs(level: Level, index: number): number {
  switch (level) {
    case 'hour':
      return index * HOUR_MS
    case 'day':
      return index * DAY_MS
    case 'month':
      return Date.UTC(Math.floor(index / 12), index % 12, 1)
    default:
      return level satisfies never
  }
}

/** The periods of the next finer level that make up a period. */
export function listFinerPeriods(level: LongLevel, index: number): PeriodRange {
  const finer = level === 'month' ? 'day' : 'hour'
  return {
    level: finer,
    from: toPeriodIndex(finer, toPeriodStartMs(level, index)),
    to: toPeriodIndex(finer, toPeriodStartMs(level, index + 1)) - 1,
  }
}

/** The last period of the level that is over when the finer period `last` is. */
export function findLastComplete(level: LongLevel, last: number): number {
  const finer = level === 'month' ? 'day' : 'hour'
  return toPeriodIndex(level, toPeriodStartMs(finer, last + 1)) - 1
}

/** The day or month of a time: `2026-11-22` or `2026-11`. */
export function toPeriodName(level: LongLevel, atMs: number): string {
  return new Date(atMs).toISOString().slice(0, level === 'day' ? 10 : 7)
}

/** First millisecond of a month; NaN for a text that is not a month of the years 1970 to 9999. */
export function parseMonthStart(month: Month): number {
  return /^(?:19[7-9]\d|[2-9]\d{3})-(?:0[1-9]|1[0-2])$/.test(month)
    ? Date.parse(`${month}-01T00:00:00Z`)
    : Number.NaN
}

export type Span = {
  /** Hours since 1970, both included. */
  readonly from: number
  readonly to: number
}

/**
 * Divides a span of hours into the coarsest stored periods. `rolled` is the last period of each
 * level that has its sums; -1 for none. Hours after the last rolled one are not in the ranges.
 */
export function divideSpan(
  span: Span,
  rolled: { readonly [level in Level]: number },
  coarsest: Level,
): readonly PeriodRange[] {
  return divide({ level: coarsest, ...span }, rolled)
}

function divide(
  { from, level, to }: Span & { readonly level: Level },
  rolled: { readonly [level in Level]: number },
): readonly PeriodRange[] {
  if (from > to) return []
  if (level === 'hour') {
    const last = Math.min(to, rolled.hour)
    return from > last ? [] : [{ level, from, to: last }]
  }
  const finer = level === 'month' ? 'day' : 'hour'
  const startHour = (index: number) => toHour(toPeriodStartMs(level, index))
  // The first period that begins in the span, and the last one that ends in it.
  const first = toPeriodIndex(level, from * HOUR_MS - 1) + 1
  const last = Math.min(toPeriodIndex(level, (to + 1) * HOUR_MS) - 1, rolled[level])
  if (first > last) return divide({ level: finer, from, to }, rolled)
  return [
    ...divide({ level: finer, from, to: startHour(first) - 1 }, rolled),
    { level, from: first, to: last },
    ...divide({ level: finer, from: startHour(last + 1), to }, rolled),
  ]
}

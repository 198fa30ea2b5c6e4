/**
 * The time span of a request: `since` and `until`, as dates, times or milliseconds. Also the time
 * from which lists of calls are complete.
 */
import { type FieldError, ok, type Result, refuse } from '../errors.ts'
import type { Settings } from '../settings.ts'

export type SentSpan = { readonly since: string | undefined; readonly until: string | undefined }
export type TimeSpan = { readonly sinceMs: number; readonly untilMs: number }

/** A date means its midnight. All times are UTC. */
export const TIME_PATTERN =
  '^(?:\\d{13}|\\d{4}-\\d{2}-\\d{2}(?:T\\d{2}:\\d{2}(?::\\d{2}(?:\\.\\d{1,3})?)?Z)?)$'
export const TIME_RULE =
  'must be a date (2026-11-22), a time of UTC (2026-11-22T08:00:00Z) or milliseconds since 1970'

const TIME = new RegExp(TIME_PATTERN)

/**
 * Refuses with `malformed`. By default `until` is now, and `since` is `otherwiseMs` before `until`.
 */
export function readSpan(
  sent: SentSpan,
  { maxMs, nowMs, otherwiseMs }: { nowMs: number; maxMs: number; otherwiseMs: number },
): Result<TimeSpan> {
  // A span that ends now includes calls of the current millisecond.
  const untilMs = sent.until === undefined ? nowMs + 1 : parseTime(sent.until)
  if (untilMs === undefined) return refuseParameter('until', TIME_RULE)
  const sinceMs = sent.since === undefined ? untilMs - otherwiseMs : parseTime(sent.since)
  if (sinceMs === undefined) return refuseParameter('since', TIME_RULE)
  if (sinceMs >= untilMs) return refuseParameter('since', 'must be before until')
  if (untilMs - sinceMs <= maxMs) return ok({ sinceMs: Math.max(0, sinceMs), untilMs })
  return refuseParameter(
    'since',
    `is more than ${maxMs / DAY_MS} days before until; ask for less at once`,
  )
}

const DAY_MS = 86_400_000

function parseTime(text: string): number | undefined {
  if (!TIME.test(text)) return undefined
  const ms = /^\d{13}$/.test(text) ? Number(text) : Date.parse(text)
  return Number.isNaN(ms) ? undefined : ms
}

function refuseParameter(name: string, message: string): Result<never> {
  const faults: readonly FieldError[] = [{ pointer: `/query/${name}`, message }]
  return refuse('malformed', `${name}: ${message}.`, { faults })
}

/**
 * The time from which lists of calls are complete. The store keeps the outcome of a call for the
 * hot time, from the start of the call. If the hot time was made longer, calls before the change
 * still expire after the former time. Milliseconds since 1970.
 */
export function computeKeptSince(
  nowMs: number,
  { ledgerHotMs }: Pick<Settings, 'ledgerHotMs'>,
): number {
  return Math.max(0, nowMs - ledgerHotMs)
}

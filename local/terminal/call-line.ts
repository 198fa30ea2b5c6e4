/**
 * Formats a finished call as one line for the person at the terminal: `12:04:07 demo sg_weather 200
 * 38 ms −0.5 → 99.5 1q7v9k2m0-…`. A call that failed has the reason in parentheses; the call id at
 * the end finds it in the ledger. The line has no arguments and no results.
 */
import { ERRORS } from '../../core/errors.ts'
import { formatCredits } from '../../core/ledger/amount.ts'
import type { CallLine } from '../../core/ports/outside.ts'
import { type Cell, type Colour, formatRow, PLAIN, type Style } from './style.ts'

/** Most characters of a name from a skill or user; longer names would break the columns. */
const NAME_CHARS_MAX = 64
/** Widths of the columns, so that calls with usual names are aligned. */
export const COLUMN_WIDTHS = {
  time: 8,
  user: 8,
  skill: 16,
  status: 12,
  duration: 7,
  credits: 19,
} as const

/** Returns the line of a call that ended at `at`. */
export function formatCall(line: CallLine, at: Date, style: Style = PLAIN): string {
  const { duration, skill, status, time, user } = COLUMN_WIDTHS
  const [words, colour] = describeStatus(line)
  const ran = line.outcome === 'refused' ? '' : formatDuration(line.durationMs)
  return formatRow(style, [
    { text: formatClockTime(at), width: time, colour: 'dim' },
    { text: sanitizeName(line.username) || 'unknown', width: user },
    { text: sanitizeName(line.skillId) || '?', width: skill },
    { text: words, width: status, colour },
    { text: ran, width: duration },
    toCreditsCell(line),
    { text: line.code === undefined ? '' : `(${describeCode(line.code)})`, colour },
    { text: line.callId, colour: 'dim' },
  ])
}

function toCreditsCell(line: CallLine): Cell {
  const width = COLUMN_WIDTHS.credits
  const remaining = formatCredits(line.remaining)
  switch (line.outcome) {
    case 'settled':
      return { text: `−${formatCredits(line.charged)} → ${remaining}`, width }
    case 'free':
      return { text: `free → ${remaining}`, width }
    case 'refunded':
      return { text: `refunded ${formatCredits(line.refunded)} → ${remaining}`, width }
    case 'refused':
      return { text: '', width }
    default:
      return line.outcome satisfies never
  }
}

function describeStatus({ code, outcome, upstreamStatus }: CallLine): readonly [string, Colour] {
  if (outcome === 'refused') return ['refused', 'yellow']
  if (code === undefined) return [String(upstreamStatus ?? 'done'), 'green']
  if (code === 'timed_out') return ['cut', 'red']
  return [upstreamStatus === undefined ? 'failed' : `upstream ${upstreamStatus}`, 'red']
}

/** Returns the words of an error code, `not enough credits`; the code itself if it is unknown. */
export function describeCode(code: string): string {
  const known = Object.entries(ERRORS).find(([name]) => name === code)
  return (known?.[1].title ?? code).toLowerCase()
}

/** Formats a duration: `38 ms` below a second, `15.0 s` from a second on. */
export function formatDuration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}

/** Formats the local time of day, `12:04:07`. */
export function formatClockTime(at: Date): string {
  return [at.getHours(), at.getMinutes(), at.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':')
}

/** Makes a name from outside safe to print: it must not move the cursor or fake a line. */
export function sanitizeName(name: string): string {
  return name.slice(0, NAME_CHARS_MAX).replace(/[\p{C}\p{Z}]/gu, '?')
}

/**
 * One finished call as one line for the person at the laptop:
 * `12:04:07 demo sg_weather 200 38 ms −0.5 → 99.5`. Shows no arguments and no answers.
 */
import { ERRORS } from '../../core/errors.ts'
import { formatCredits } from '../../core/ledger/amount.ts'
import type { CallLine } from '../../core/ports.ts'

/** Names come from skills and users; longer ones would break the column. */
const NAME_CHARS_MAX = 64

export function formatCall(line: CallLine, at: Date): string {
  const who = `${clockTime(at)} ${plain(line.username) || 'unknown'} ${plain(line.skillId) || '?'}`
  return `${who} ${ending(line)}`
}

function ending(line: CallLine): string {
  const left = formatCredits(line.remaining)
  switch (line.outcome) {
    case 'settled':
      return `${status(line)} ${formatDuration(line.durationMs)} −${formatCredits(line.charged)} → ${left}`
    case 'free':
      return `${status(line)} ${formatDuration(line.durationMs)} free → ${left}`
    case 'refunded':
      return `${failure(line)} ${formatDuration(line.durationMs)}, refunded ${formatCredits(line.refunded)} → ${left}`
    case 'refused':
      return `refused: ${reason(line)}`
    default:
      return line.outcome satisfies never
  }
}

function status(line: CallLine): string {
  return line.code === undefined ? String(line.upstreamStatus ?? 'done') : failure(line)
}

function failure(line: CallLine): string {
  if (line.code === 'timed_out') return 'cut'
  if (line.upstreamStatus !== undefined) return `upstream ${line.upstreamStatus}`
  return reason(line)
}

function reason(line: CallLine): string {
  const known = Object.entries(ERRORS).find(([code]) => code === line.code)
  return (known?.[1].title ?? line.code ?? 'failed').toLowerCase()
}

/** `38 ms` below a second, `15.0 s` from there on. */
export function formatDuration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}

/** Local time of day, `12:04:07`. */
export function clockTime(at: Date): string {
  return [at.getHours(), at.getMinutes(), at.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':')
}

/** A name from outside must not move the cursor or fake a line. */
function plain(name: string): string {
  return name.slice(0, NAME_CHARS_MAX).replace(/[\p{C}\p{Z}]/gu, '?')
}

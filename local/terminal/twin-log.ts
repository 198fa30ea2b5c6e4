/**
 * The log of a laptop: one line for each call, and one for each warning or error. Prints no info
 * notes. Fields are those that flows allow themselves (ids, counts, codes).
 */
import type { Log } from '../../core/ports.ts'
import { clockTime, formatCall } from './call-line.ts'

/** Our layers make chains of at most this depth; a longer chain is a circle. */
const CAUSES_MAX = 4

export type Print = (line: string) => void

export function twinLog(
  print: { readonly call: Print; readonly note: Print },
  now: () => Date,
): Log {
  return {
    call: (line) => print.call(formatCall(line, now())),
    note: (level, event, fields = {}, cause) => {
      if (level === 'info') return
      const details = Object.entries(fields)
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => ` ${name}=${String(value)}`)
      print.note(`${clockTime(now())} ${level}: ${event}${details.join('')}${because(cause)}`)
    },
  }
}

/** The chain of causes by their messages, on one line. */
function because(cause: unknown): string {
  if (cause === undefined) return ''
  const messages: string[] = []
  let at: unknown = cause
  while (at instanceof Error && messages.length < CAUSES_MAX) {
    messages.push(`${at.name}: ${at.message}`)
    at = at.cause
  }
  const text = messages.length === 0 ? String(cause) : messages.join(' ← ')
  return ` (${text.replace(/\p{C}+/gu, ' ').slice(0, 400)})`
}

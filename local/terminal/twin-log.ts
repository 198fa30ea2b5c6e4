/**
 * The log of a laptop: a line per call for the person who watches, and what went wrong. Quiet
 * about what went as it should. Fields are those that flows allow themselves (ids, counts, codes).
 */
import type { Log } from '../../core/ports.ts'
import { clockTime, formatCall } from './call-line.ts'

/** A chain of causes is as deep as our layers; a longer one goes round in a circle. */
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
      const said = Object.entries(fields)
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => ` ${name}=${String(value)}`)
      print.note(`${clockTime(now())} ${level}: ${event}${said.join('')}${because(cause)}`)
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

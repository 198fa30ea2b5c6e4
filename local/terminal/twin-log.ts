/**
 * The log of a laptop: one line for each call, for each warning or error, and for what a person
 * wants to see as it happens (event-line.ts). Fields are those that flows allow themselves (ids,
 * counts, codes).
 */
import { visibleText } from '../../adapters/formats/visible-text.ts'
import type { Log } from '../../core/ports/outside.ts'
import { clockTime, formatCall } from './call-line.ts'
import { formatEvent } from './event-line.ts'
import { PLAIN, painted, type Style } from './style.ts'

/** Our layers make chains of at most this depth; a longer chain is a circle. */
const CAUSES_MAX = 4

export type Print = (line: string) => void

/** Calls and events go to one stream, warnings and errors to the other, each in its own style. */
export type TwinPrint = {
  readonly call: Print
  readonly note: Print
  readonly callStyle?: Style
  readonly noteStyle?: Style
}

export function twinLog(print: TwinPrint, now: () => Date): Log {
  const { callStyle = PLAIN, noteStyle = PLAIN } = print
  return {
    call: (line) => print.call(formatCall(line, now(), callStyle)),
    note: (level, event, fields = {}, cause) => {
      const text = formatEvent(event, fields, now(), callStyle)
      if (text !== undefined) return print.call(text)
      if (level === 'info') return
      const details = Object.entries(fields)
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => ` ${name}=${visibleText(String(value))}`)
      const head = painted(noteStyle, level === 'error' ? 'red' : 'yellow', `${level}: ${event}`)
      print.note(`${clockTime(now())} ${head}${details.join('')}${because(cause)}`)
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

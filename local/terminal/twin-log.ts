/**
 * The log of a twin on its terminal: one line for each call, for each warning or error, and for
 * some notes. Fields are those that flows allow themselves (ids, counts, codes).
 */
import { escapeHiddenText } from '../../core/json/visible-text.ts'
import type { Log, NoteFields } from '../../core/ports/outside.ts'
import {
  COLUMN_WIDTHS,
  describeCode,
  formatCall,
  formatClockTime,
  sanitizeName,
} from './call-line.ts'
import { type Cell, formatRow, PLAIN, paint, type Style } from './style.ts'

/**
 * Most causes of a chain; the gateway's layers make chains of at most this depth, so a longer chain
 * is a circle.
 */
const CAUSES_MAX = 4

export type Print = (line: string) => void

/** Calls and notes go to one stream, warnings and errors to the other, each in its own style. */
export type TwinPrint = {
  readonly call: Print
  readonly note: Print
  readonly callStyle?: Style
  readonly noteStyle?: Style
}

/** Returns the log; `now` gives the time of a line. */
export function createTwinLog(print: TwinPrint, now: () => Date): Log {
  const { callStyle = PLAIN, noteStyle = PLAIN } = print
  return {
    call: (line) => print.call(formatCall(line, now(), callStyle)),
    note: (level, event, fields = {}, cause) => {
      const text = formatEvent(event, fields, now(), callStyle)
      if (text !== undefined) return print.call(text)
      if (level === 'info') return
      const details = Object.entries(fields)
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => ` ${name}=${escapeHiddenText(String(value))}`)
      const head = paint(noteStyle, level === 'error' ? 'red' : 'yellow', `${level}: ${event}`)
      print.note(`${formatClockTime(now())} ${head}${details.join('')}${formatCauses(cause)}`)
    },
  }
}

/** Returns the chain of causes by their messages, on one line. */
function formatCauses(cause: unknown): string {
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

/**
 * Formats the notes that a person at the terminal wants to see as they happen: an agent connects, a
 * key is refused, an administrator changes something. Returns undefined for other notes.
 */
export function formatEvent(
  event: string,
  fields: NoteFields,
  at: Date,
  style: Style = PLAIN,
): string | undefined {
  const cells = Object.hasOwn(EVENT_CELLS, event) ? EVENT_CELLS[event]?.(fields) : undefined
  if (cells === undefined) return undefined
  return formatRow(style, [
    { text: formatClockTime(at), width: COLUMN_WIDTHS.time, colour: 'dim' },
    ...cells,
  ])
}

const EVENT_CELLS: { readonly [event: string]: (fields: NoteFields) => readonly Cell[] } = {
  'agent-connected': ({ uid, version }) => [
    { text: toText(uid) || 'anonymous', width: COLUMN_WIDTHS.user },
    { text: 'connected', width: COLUMN_WIDTHS.skill, colour: 'cyan' },
    { text: `MCP ${toText(version)}` },
  ],
  'key-refused': ({ keyStart, reason: why }) => [
    { text: formatKeyStart(keyStart) || 'unknown', width: COLUMN_WIDTHS.user },
    { text: 'key refused', width: COLUMN_WIDTHS.skill, colour: 'yellow' },
    { text: `(${KEY_REASONS[toText(why)] ?? toText(why)})`, colour: 'yellow' },
  ],
  'admin-refused': ({ address, code, count, keyStart }) => [
    { text: 'admin', width: COLUMN_WIDTHS.user },
    { text: 'refused', width: COLUMN_WIDTHS.skill, colour: 'yellow' },
    { text: `(${describeCode(toText(code))})`, colour: 'yellow' },
    { text: [formatKeyStart(keyStart), formatAddress(address, count)].filter(isText).join(' ') },
  ],
  'admin-forbidden': ({ admin, operation, role }) => [
    { text: formatAdmin(admin), width: COLUMN_WIDTHS.user },
    { text: toText(operation), width: COLUMN_WIDTHS.skill, colour: 'yellow' },
    { text: `(the role ${toText(role)} may not)`, colour: 'yellow' },
  ],
  'admin-changed': ({ admin, operation, skillId, tool, uid }) => [
    { text: formatAdmin(admin), width: COLUMN_WIDTHS.user },
    { text: toText(operation), width: COLUMN_WIDTHS.skill, colour: 'cyan' },
    {
      text: [uid, skillId, tool].map(toText).filter(isText).join(' '),
    },
  ],
}

const KEY_REASONS: { readonly [reason: string]: string } = {
  expired: 'expired',
  limited: 'too many unknown keys in this minute',
  malformed: 'not written as a key',
  unknown: 'not a key of this gateway',
}

/**
 * Returns the name of an administrator. Both secrets are shown as `admin`; a named key has its
 * name.
 */
function formatAdmin(admin: NoteFields[string]): string {
  const name = toText(admin)
  return name === '' || name.startsWith('break-glass:') ? 'admin' : name
}

/** Returns the address and, if there are several, the number of refusals from it in this minute. */
function formatAddress(address: NoteFields[string], count: NoteFields[string]): string {
  const from = toText(address)
  if (from === '') return ''
  return typeof count === 'number' && count > 1 ? `from ${from}, ${count} times` : `from ${from}`
}

function isText(text: string): boolean {
  return text !== ''
}

function formatKeyStart(keyStart: NoteFields[string]): string {
  return keyStart === undefined ? '' : `${toText(keyStart)}…`
}

function toText(field: NoteFields[string]): string {
  return field === undefined ? '' : sanitizeName(String(field))
}

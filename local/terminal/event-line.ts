/**
 * The notes that a person at the laptop wants to see as they happen: an agent connects, a key is
 * refused, an administrator changes something. Other info notes are for a deployed stage.
 */
import type { NoteFields } from '../../core/ports/outside.ts'
import { clockTime, plain, reason, WIDTHS } from './call-line.ts'
import { type Cell, PLAIN, rowOf, type Style } from './style.ts'

/** Undefined for a note that has no line. */
export function formatEvent(
  event: string,
  fields: NoteFields,
  at: Date,
  style: Style = PLAIN,
): string | undefined {
  const cells = Object.hasOwn(LINES, event) ? LINES[event]?.(fields) : undefined
  if (cells === undefined) return undefined
  return rowOf(style, [{ text: clockTime(at), width: WIDTHS.time, colour: 'dim' }, ...cells])
}

const LINES: { readonly [event: string]: (fields: NoteFields) => readonly Cell[] } = {
  'agent-connected': ({ uid, version }) => [
    { text: textOf(uid) || 'anonymous', width: WIDTHS.user },
    { text: 'connected', width: WIDTHS.skill, colour: 'cyan' },
    { text: `MCP ${textOf(version)}` },
  ],
  'key-refused': ({ keyStart, reason: why }) => [
    { text: shownKey(keyStart) || 'unknown', width: WIDTHS.user },
    { text: 'key refused', width: WIDTHS.skill, colour: 'yellow' },
    { text: `(${KEY_REASONS[textOf(why)] ?? textOf(why)})`, colour: 'yellow' },
  ],
  'admin-refused': ({ address, code, count, keyStart }) => [
    { text: 'admin', width: WIDTHS.user },
    { text: 'refused', width: WIDTHS.skill, colour: 'yellow' },
    { text: `(${reason(textOf(code))})`, colour: 'yellow' },
    { text: [shownKey(keyStart), fromAddress(address, count)].filter(isText).join(' ') },
  ],
  'admin-forbidden': ({ admin, operation, role }) => [
    { text: adminName(admin), width: WIDTHS.user },
    { text: textOf(operation), width: WIDTHS.skill, colour: 'yellow' },
    { text: `(the role ${textOf(role)} may not)`, colour: 'yellow' },
  ],
  'admin-changed': ({ admin, operation, skillId, tool, uid }) => [
    { text: adminName(admin), width: WIDTHS.user },
    { text: textOf(operation), width: WIDTHS.skill, colour: 'cyan' },
    {
      text: [uid, skillId, tool].map(textOf).filter(isText).join(' '),
    },
  ],
}

const KEY_REASONS: { readonly [reason: string]: string } = {
  expired: 'expired',
  limited: 'too many unknown keys in this minute',
  malformed: 'not written as a key',
  unknown: 'not a key of this gateway',
}

/** The two secrets are all one at the laptop, as before; a named key has its name. */
function adminName(admin: NoteFields[string]): string {
  const name = textOf(admin)
  return name === '' || name.startsWith('break-glass:') ? 'admin' : name
}

/** How many from there in this minute, once there are several. */
function fromAddress(address: NoteFields[string], count: NoteFields[string]): string {
  const from = textOf(address)
  if (from === '') return ''
  return typeof count === 'number' && count > 1 ? `from ${from}, ${count} times` : `from ${from}`
}

function isText(text: string): boolean {
  return text !== ''
}

function shownKey(keyStart: NoteFields[string]): string {
  return keyStart === undefined ? '' : `sgk_${textOf(keyStart)}…`
}

function textOf(field: NoteFields[string]): string {
  return field === undefined ? '' : plain(String(field))
}

/**
 * The notes that a person at the laptop wants to see as they happen: an agent connects, a key is
 * refused, an administrator changes something. Other info notes are for a deployed stage.
 */
import type { NoteFields } from '../../core/ports.ts'
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
  'admin-refused': ({ code, keyStart }) => [
    { text: 'admin', width: WIDTHS.user },
    { text: 'refused', width: WIDTHS.skill, colour: 'yellow' },
    { text: `(${reason(textOf(code))})`, colour: 'yellow' },
    { text: shownKey(keyStart) },
  ],
  'admin-changed': ({ operation, skillId, tool, uid }) => [
    { text: 'admin', width: WIDTHS.user },
    { text: textOf(operation), width: WIDTHS.skill, colour: 'cyan' },
    {
      text: [uid, skillId, tool]
        .map(textOf)
        .filter((one) => one !== '')
        .join(' '),
    },
  ],
}

const KEY_REASONS: { readonly [reason: string]: string } = {
  expired: 'expired',
  limited: 'too many unknown keys in this minute',
  malformed: 'not written as a key',
  unknown: 'not a key of this gateway',
}

function shownKey(keyStart: NoteFields[string]): string {
  return keyStart === undefined ? '' : `sgk_${textOf(keyStart)}…`
}

function textOf(field: NoteFields[string]): string {
  return field === undefined ? '' : plain(String(field))
}

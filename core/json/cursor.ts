/**
 * Opaque cursors of paged lists: base64url of a version and the list's position. The list that made
 * a cursor parses its position again, because a client may have changed it. All doors refuse a
 * cursor in the same words.
 */
import { type FieldError, ok, type Result } from '../errors.ts'
import { refuseBody, refuseFields } from './body-fields.ts'

/** Longest accepted cursor: a skill id of 200 characters of any script, percent-encoded. */
export const CURSOR_CHARS_MAX = 4096

/** `position` is visible ASCII. The version in front lets a later build read both forms. */
export function writeCursor(position: string): string {
  return btoa(`1:${position}`).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** Returns a cursor's position; undefined for text that {@link writeCursor} cannot have made. */
export function readCursor(cursor: string): string | undefined {
  if (cursor.length > CURSOR_CHARS_MAX || !/^[A-Za-z0-9_-]+$/.test(cursor)) return undefined
  if (cursor.length % 4 === 1) return undefined
  const text = atob(cursor.replaceAll('-', '+').replaceAll('_', '/'))
  return /^1:([\x21-\x7e]*)$/.exec(text)?.[1]
}

/**
 * Returns the rule of a cursor and the remedy, to follow the field's name. `wanted` replaces the
 * description for a door whose answers name the cursor differently.
 */
export function writeCursorRule(
  wanted = 'the nextCursor of an earlier answer to the same request',
): string {
  return `must be ${wanted}, unchanged; leave it out to start at the beginning`
}

export function toCursorError(pointer: '/query/cursor' | '/cursor'): FieldError {
  return { pointer, message: writeCursorRule() }
}

/** Refuses a cursor in the query with `malformed`, and one in the body with `invalid_arguments`. */
export function refuseCursor(from: 'query' | 'body'): Result<never> {
  return from === 'query'
    ? refuseFields('malformed', [toCursorError('/query/cursor')])
    : refuseBody([toCursorError('/cursor')])
}

/**
 * Reads where a page begins: `parse` reads the position in the query's cursor. Returns undefined
 * without a cursor. Refuses a cursor with `malformed` if `parse` returns undefined.
 */
export function readPageStart<Start>(
  cursor: string | undefined,
  parse: (position: string) => Start | undefined,
): Result<Start | undefined> {
  if (cursor === undefined) return ok(undefined)
  const position = readCursor(cursor)
  const start = position === undefined ? undefined : parse(position)
  return start === undefined ? refuseCursor('query') : ok(start)
}

/** Decodes a percent-encoded part of a position; undefined if a client has changed the encoding. */
export function decodePositionPart(part: string | undefined): string | undefined {
  try {
    return part === undefined ? undefined : decodeURIComponent(part)
  } catch {
    // `decodeURIComponent` has one error, so the cause adds nothing.
    return undefined
  }
}

/**
 * Opaque cursors of paged lists: base64url of a version and the list's position. The list that made
 * a cursor parses it again, since a client may have changed it. All doors refuse a cursor in the same words.
 */
import { type FieldFault, ok, type Result } from '../errors.ts'
import { badBody, refuseFields } from './body-fields.ts'

/** Longest accepted cursor: a skill id of 200 characters of any script, percent-encoded. */
export const CURSOR_CHARS_MAX = 4096

/** `position` is visible ASCII. The leading version lets a later build read both forms. */
export function writeCursor(position: string): string {
  return btoa(`1:${position}`).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** The position in a cursor; undefined for text that {@link writeCursor} cannot have made. */
export function readCursor(cursor: string): string | undefined {
  if (cursor.length > CURSOR_CHARS_MAX || !/^[A-Za-z0-9_-]+$/.test(cursor)) return undefined
  if (cursor.length % 4 === 1) return undefined
  const text = atob(cursor.replaceAll('-', '+').replaceAll('_', '/'))
  return /^1:([\x21-\x7e]*)$/.exec(text)?.[1]
}

/** What a cursor must be, and the remedy; it follows the field's name. `wanted` is for a door whose answers call it otherwise. */
export function cursorRule(
  wanted = 'the nextCursor of an earlier answer to the same request',
): string {
  return `must be ${wanted}, unchanged; leave it out to start at the beginning`
}

export function cursorFault(pointer: '/query/cursor' | '/cursor'): FieldFault {
  return { pointer, message: cursorRule() }
}

/** Refuses with `malformed` a cursor of the query, with `invalid_arguments` one of the body. */
export function refuseCursor(from: 'query' | 'body'): Result<never> {
  return from === 'query'
    ? refuseFields('malformed', [cursorFault('/query/cursor')])
    : badBody([cursorFault('/cursor')])
}

/**
 * Where a page begins: what `parse` makes of the position in the query's cursor; undefined without a cursor. Refuses with
 * `malformed` a cursor of which `parse` makes undefined.
 */
export function readPageStart<Place>(
  cursor: string | undefined,
  parse: (position: string) => Place | undefined,
): Result<Place | undefined> {
  if (cursor === undefined) return ok(undefined)
  const position = readCursor(cursor)
  const place = position === undefined ? undefined : parse(position)
  return place === undefined ? refuseCursor('query') : ok(place)
}

/** A percent-encoded part of a position; undefined where a client has broken it. */
export function decodedPart(part: string | undefined): string | undefined {
  try {
    return part === undefined ? undefined : decodeURIComponent(part)
  } catch {
    // `decodeURIComponent` has one error, so the cause adds nothing.
    return undefined
  }
}

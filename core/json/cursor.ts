/**
 * Opaque cursors of paged lists: base64url of a version and the list's position. The list that made
 * a cursor parses it again, since a client may have changed it.
 */

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

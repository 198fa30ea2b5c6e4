/**
 * The part of a refused credential that a log may show: the four characters after `sgk_`. Its owner
 * and support find the key in the list of keys by them (24 of its 256 bits). A log shows nothing of
 * any other text, which may be the secret of another service.
 */

const KEY_START = /^(?:bearer\s+)?sgk_([A-Za-z0-9_-]{4})[A-Za-z0-9_-]/i

/**
 * Returns undefined if the text does not begin as a key or has no more than the shown characters.
 */
export function keyStartOf(header: string | undefined): string | undefined {
  return header === undefined ? undefined : KEY_START.exec(header.trimStart())?.[1]
}

/**
 * What a log may show of a credential that was refused: the four characters after `sgk_`, by which
 * its owner and support find the key in the list of keys (24 of its 256 bits). Nothing of any other
 * text, which may be the secret of another service.
 */

const KEY_START = /^(?:bearer\s+)?sgk_([A-Za-z0-9_-]{4})[A-Za-z0-9_-]/i

/** Undefined for a text that does not begin as a key, or is no longer than what would be shown. */
export function keyStartOf(header: string | undefined): string | undefined {
  return header === undefined ? undefined : KEY_START.exec(header.trimStart())?.[1]
}

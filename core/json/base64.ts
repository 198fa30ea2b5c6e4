/**
 * Padded base64 (RFC 4648 section 4) of bytes, or of a text's UTF-8 bytes. Core has no `Buffer`,
 * because it imports nothing of Node.
 */

/** A multiple of 3, so that chunks join without padding. Small enough to spread as arguments. */
const CHUNK_BYTES = 24_576

const ENCODER = new TextEncoder()

export function encodeBase64Text(text: string): string {
  return encodeBase64(ENCODER.encode(text))
}

export function encodeBase64(bytes: Uint8Array): string {
  const chunks: string[] = []
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    chunks.push(btoa(String.fromCharCode(...bytes.subarray(at, at + CHUNK_BYTES))))
  }
  return chunks.join('')
}

const NOT_BASE64 = /[^A-Za-z0-9+/]/

/**
 * Returns the number of bytes that a padded base64 text encodes; undefined for '', white space or
 * other text. The pattern searches for one wrong character: a pattern that matches the whole text
 * would keep a backtracking position for each character.
 */
export function countBase64Bytes(text: string): number | undefined {
  if (text.length % 4 !== 0) return undefined
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const digits = text.slice(0, text.length - padding)
  if (digits === '' || NOT_BASE64.test(digits)) return undefined
  return (text.length / 4) * 3 - padding
}

/** Returns the bytes; undefined for '' and for text that is not padded base64. */
export function decodeBase64(text: string): Uint8Array | undefined {
  if (countBase64Bytes(text) === undefined) return undefined
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}

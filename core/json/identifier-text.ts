/**
 * Converts ids of the earlier service, which may be any text, to identifiers. An id that is not an
 * identifier becomes `v0-` and its UTF-8 bytes in base64url. The conversion is reversible, so that
 * no mapping has to be stored. Bound by ADR 0098.
 */
import { countBytes } from './text-bytes.ts'

const IDENTIFIER = /^[A-Za-z0-9_-]{1,64}$/
const START = 'v0-'
/** UTF-8 bytes of an id, so that its identifier has at most 64 characters. */
export const FOREIGN_ID_BYTES_MAX = 45

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Returns undefined for a text that is empty, too long, or has half of a surrogate pair. */
export function toIdentifier(text: string): string | undefined {
  // An identifier that is also the encoded form of another text is encoded itself.
  if (IDENTIFIER.test(text) && fromIdentifier(text) === text) return text
  if (text === '' || !text.isWellFormed() || countBytes(text) > FOREIGN_ID_BYTES_MAX)
    return undefined
  return encodeId(text)
}

/** Returns the id of the earlier service for an identifier. */
export function fromIdentifier(id: string): string {
  if (!id.startsWith(START)) return id
  const text = decodeId(id.slice(START.length))
  return text !== undefined && encodeId(text) === id && isForeign(text) ? text : id
}

function isForeign(text: string): boolean {
  return !IDENTIFIER.test(text) || text.startsWith(START)
}

function encodeId(text: string): string {
  const bytes = [...new TextEncoder().encode(text)].map((byte) => String.fromCharCode(byte))
  const base64 = btoa(bytes.join('')).replaceAll('+', '-').replaceAll('/', '_')
  return `${START}${base64.replaceAll('=', '')}`
}

/** Returns undefined for text that is not the base64url of UTF-8. */
function decodeId(base64: string): string | undefined {
  if (base64.length % 4 === 1 || !/^[A-Za-z0-9_-]+$/.test(base64)) return undefined
  const binary = atob(base64.replaceAll('-', '+').replaceAll('_', '/'))
  try {
    return UTF8.decode(Uint8Array.from(binary, (char) => char.charCodeAt(0)))
  } catch {
    // A fatal decoder has one error: the bytes are not UTF-8, so they do not encode an id.
    return undefined
  }
}

/**
 * Identifiers for ids of the earlier service, which may be any text: an id that is no identifier here becomes `v0-` and its UTF-8
 * bytes in base64url, so that each leads back to the other and nothing has to be stored. Bound by ADR 0098.
 */
import { bytesOf } from './text-bytes.ts'

const IDENTIFIER = /^[A-Za-z0-9_-]{1,64}$/
const START = 'v0-'
/** UTF-8 bytes of an id that becomes an identifier of 64 characters at most. */
export const FOREIGN_ID_BYTES_MAX = 45

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Undefined for a text that is empty, too long, or has half a surrogate pair. */
export function identifierOf(text: string): string | undefined {
  // An identifier that another text would become has to become one itself.
  if (IDENTIFIER.test(text) && textOfIdentifier(text) === text) return text
  if (text === '' || !text.isWellFormed() || bytesOf(text) > FOREIGN_ID_BYTES_MAX) return undefined
  return encoded(text)
}

/** The id that the earlier service knew. */
export function textOfIdentifier(id: string): string {
  if (!id.startsWith(START)) return id
  const text = decoded(id.slice(START.length))
  return text !== undefined && encoded(text) === id && isForeign(text) ? text : id
}

function isForeign(text: string): boolean {
  return !IDENTIFIER.test(text) || text.startsWith(START)
}

function encoded(text: string): string {
  const bytes = [...new TextEncoder().encode(text)].map((byte) => String.fromCharCode(byte))
  const base64 = btoa(bytes.join('')).replaceAll('+', '-').replaceAll('/', '_')
  return `${START}${base64.replaceAll('=', '')}`
}

/** Undefined for what is no text in base64url. */
function decoded(base64: string): string | undefined {
  if (base64.length % 4 === 1 || !/^[A-Za-z0-9_-]+$/.test(base64)) return undefined
  const binary = atob(base64.replaceAll('-', '+').replaceAll('_', '/'))
  try {
    return UTF8.decode(Uint8Array.from(binary, (char) => char.charCodeAt(0)))
  } catch {
    // A fatal decoder has one error: these bytes are no UTF-8, so no id was written so.
    return undefined
  }
}

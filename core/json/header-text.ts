/**
 * Decodes and encodes a mirrored header (`Mcp-Name`, `Mcp-Param-*`): a plain value, or the `=?base64?…?=` form
 * of text that a header cannot have. Refuses base64 that is not canonical or cannot be decoded.
 * Rules: MCP 2026-07-28, basic/transports/streamable-http, Value encoding; RFC 9110 section 5.5; RFC
 * 4648 section 4.
 */

const OPENS = '=?base64?'
const CLOSES = '?='

/** Printable ASCII and tabs. Other text must be in base64. */
const LITERAL = /^[\t\u0020-\u007E]*$/
const PADDED_BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Keeps a byte order mark, because it is part of the mirrored value. */
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Returns the decoded `value` without outer spaces and tabs. Undefined for control characters, raw
 * non-ASCII, and base64 with a wrong alphabet, wrong padding, unused bits that are not zero, or
 * bytes that are not UTF-8. A value with only one
 * of the two markers is a plain value.
 */
export function decodeHeaderText(value: string): string | undefined {
  const text = trimHeaderSpace(value)
  if (!LITERAL.test(text)) return undefined
  const isEncoded =
    text.length >= OPENS.length + CLOSES.length && text.startsWith(OPENS) && text.endsWith(CLOSES)
  return isEncoded ? decodeBase64(text.slice(OPENS.length, -CLOSES.length)) : text
}

/** Removes the optional white space of RFC 9110: SP and HTAB only. `trim` would remove more. */
export function trimHeaderSpace(value: string): string {
  let from = 0
  let to = value.length
  while (from < to && isSpace(value.charCodeAt(from))) from += 1
  while (to > from && isSpace(value.charCodeAt(to - 1))) to -= 1
  return value.slice(from, to)
}

function isSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x09
}

function decodeBase64(base64: string): string | undefined {
  if (!PADDED_BASE64.test(base64)) return undefined
  const binary = atob(base64)
  // `atob` ignores the unused last bits. Only bits of zero encode back to the same text.
  if (btoa(binary) !== base64) return undefined
  try {
    return UTF8.decode(Uint8Array.from(binary, (unit) => unit.charCodeAt(0)))
  } catch {
    // A fatal decoder throws only for bytes that are not UTF-8.
    return undefined
  }
}

/**
 * Encodes the value of a mirrored header: as it is, or in base64 if a header cannot have it, or if
 * `decodeHeaderText` would read another value.
 */
export function encodeHeaderText(text: string): string {
  const isPlain =
    LITERAL.test(text) && trimHeaderSpace(text) === text && text !== '' && !text.startsWith(OPENS)
  if (isPlain) return text
  const binary = Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte))
  return `${OPENS}${btoa(binary.join(''))}${CLOSES}`
}

/**
 * Decodes bytes to text within a limit, before the text is parsed. Removes a byte order mark at the
 * start (RFC 8259 section 8.1 allows that; some Windows tools always write one). Refuses invalid
 * UTF-8 instead of replacing it, so that the gateway works on exactly the text that was sent.
 */
import { ok, type Result, refuse } from '../errors.ts'
import { explainEncoding } from './encoding-fault.ts'
import type { JsonLimits } from './limits.ts'
import { JSON_BYTES_MAX } from './limits.ts'
import { countBytes } from './text-bytes.ts'

const UTF8 = new TextDecoder('utf-8', { fatal: true })
const BYTE_ORDER_MARK = '\uFEFF'
/** UTF-8 bytes that one UTF-16 unit can take at most. */
const BYTES_PER_UNIT_MAX = 3

/** Returns text without a byte order mark. Refuses with `too_large` or `malformed`. */
export function readText(input: Uint8Array | string, limits: JsonLimits = {}): Result<string> {
  const bytesMax = limits.bytesMax ?? JSON_BYTES_MAX
  const subject = limits.subject ?? 'body'
  if (isLonger(input, bytesMax)) {
    return refuse('too_large', `${subject}: is over ${bytesMax} bytes; send less at a time`)
  }
  if (typeof input === 'string') return ok(withoutMark(input))
  try {
    return ok(UTF8.decode(input))
  } catch {
    // A fatal decoder has one error and no position, so the cause adds nothing.
    const why = explainEncoding(input) ?? 'is not valid UTF-8; send JSON encoded as UTF-8'
    return refuse('malformed', `${subject}: ${why}`)
  }
}

/** Counts the bytes of a text only if the text's length does not decide. */
function isLonger(input: Uint8Array | string, bytesMax: number): boolean {
  if (input.length > bytesMax) return true
  if (typeof input !== 'string' || input.length * BYTES_PER_UNIT_MAX <= bytesMax) return false
  return countBytes(input) > bytesMax
}

function withoutMark(text: string): string {
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(BYTE_ORDER_MARK.length) : text
}

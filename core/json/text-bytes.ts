/** Counts the UTF-8 bytes of a text, or of a value as JSON. Size limits use these counts. */
import type { Json } from './json.ts'
import { isRawNumber } from './raw-number.ts'

const ENCODER = new TextEncoder()
const BEYOND_ASCII = /[\u0080-\uffff]/
/** Characters that JSON.stringify may escape. */
const ESCAPED = /["\\\ud800-\udfff]|[^ -\uffff]/

/** Most texts are ASCII. Testing for another character costs a tenth of encoding the text. */
export function countBytes(text: string): number {
  return BEYOND_ASCII.test(text) ? ENCODER.encode(text).length : text.length
}

/**
 * Counts the bytes that JSON.stringify would write. Stops once the count is over `bytesMax`, and
 * then returns some number over `bytesMax`. Each step counts at least one byte, so the walk is
 * bounded.
 */
export function countJsonBytes(value: Json, bytesMax: number): number {
  if (typeof value === 'string') return countQuotedBytes(value)
  if (typeof value !== 'object' || value === null || isRawNumber(value)) {
    return JSON.stringify(value).length
  }
  const isList = Array.isArray(value)
  const parts = Object.entries(value)
  // Two brackets, and the commas between the parts.
  let bytes = 1 + Math.max(1, parts.length)
  for (const [name, part] of parts) {
    if (bytes > bytesMax) break
    if (!isList) bytes += countQuotedBytes(name) + 1
    bytes += countJsonBytes(part, bytesMax - bytes)
  }
  return bytes
}

function countQuotedBytes(text: string): number {
  return ESCAPED.test(text) ? countBytes(JSON.stringify(text)) : countBytes(text) + 2
}

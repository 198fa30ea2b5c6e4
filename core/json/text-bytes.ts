/** The length of a text, or of a value as JSON, in UTF-8 bytes, the unit of our limits. */
import type { Json } from './json.ts'
import { isRawNumber } from './raw-number.ts'

const ENCODER = new TextEncoder()
const BEYOND_ASCII = /[\u0080-\uffff]/
/** What JSON.stringify may write in more than one character. */
const ESCAPED = /["\\\ud800-\udfff]|[^ -\uffff]/

/** Nearly all texts are ASCII: looking for another character costs a tenth of the bytes themselves. */
export function bytesOf(text: string): number {
  return BEYOND_ASCII.test(text) ? ENCODER.encode(text).length : text.length
}

/** As JSON.stringify writes it. Over `bytesMax` it stops with any larger number: each step of the walk counts a byte or more. */
export function jsonBytesOf(value: Json, bytesMax: number): number {
  if (typeof value === 'string') return quotedBytes(value)
  if (typeof value !== 'object' || value === null || isRawNumber(value)) {
    return JSON.stringify(value).length
  }
  const isList = Array.isArray(value)
  const parts = Object.entries(value)
  // The brackets, and the commas between the parts.
  let bytes = 1 + Math.max(1, parts.length)
  for (const [name, part] of parts) {
    if (bytes > bytesMax) break
    if (!isList) bytes += quotedBytes(name) + 1
    bytes += jsonBytesOf(part, bytesMax - bytes)
  }
  return bytes
}

function quotedBytes(text: string): number {
  return ESCAPED.test(text) ? bytesOf(JSON.stringify(text)) : bytesOf(text) + 2
}

/**
 * Checks, before JSON text is parsed, whether its parts would need too much memory. Parts are
 * opening brackets and braces, commas and colons outside strings; there are at least as many as
 * values and names. Different names have a limit of their own, because each is stored as a separate
 * string.
 */
import { findClosingQuote, QUOTE } from './closing-quote.ts'

export type PartLimits = { readonly partsMax: number; readonly namesMax: number }

const COMMA = 0x2c
const COLON = 0x3a
const ARRAY_OPENS = 0x5b
const OBJECT_OPENS = 0x7b

/** True if a limit is passed. A text with fewer characters than either limit is not scanned. */
export function hasMoreParts(text: string, { namesMax, partsMax }: PartLimits): boolean {
  if (text.length <= Math.min(partsMax, namesMax)) return false
  const names = makeNameCounter()
  let parts = 0
  let stringAt = 0
  for (let at = 0; at < text.length && parts <= partsMax; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit === QUOTE) {
      stringAt = at
      at = findClosingQuote(text, at)
    } else if (unit === COLON) {
      parts += 1
      if (names.add(text, stringAt) > namesMax) return true
    } else if (isOpeningOrComma(unit)) {
      parts += 1
    }
  }
  return parts > partsMax
}

function isOpeningOrComma(unit: number): boolean {
  return unit === COMMA || unit === ARRAY_OPENS || unit === OBJECT_OPENS
}

/** 2 ** 20. Names up to the limit set a small part of these bits. */
const NAME_BITS = 1_048_576

/** Counts different names by one bit of each hash. Names that share a bit are counted once. */
function makeNameCounter() {
  const seen = new Uint8Array(NAME_BITS / 8)
  let count = 0
  return {
    /** Adds the name that starts after `quoteAt`, and returns the count so far. */
    add(text: string, quoteAt: number): number {
      const bit = hashName(text, quoteAt + 1) % NAME_BITS
      const [byte, mask] = [bit >> 3, 1 << (bit & 7)]
      const before = seen[byte] ?? 0
      if ((before & mask) === 0) count += 1
      seen[byte] = before | mask
      return count
    },
  }
}

/** Returns the FNV-1a hash of the text up to its closing quote. */
function hashName(text: string, from: number): number {
  let hash = 0x811c9dc5
  for (let at = from; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit === QUOTE && text.charCodeAt(at - 1) !== BACKSLASH) break
    hash = Math.imul(hash ^ unit, 0x01000193)
  }
  return hash >>> 0
}

const BACKSLASH = 0x5c

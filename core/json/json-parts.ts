/**
 * Whether JSON text has more parts than memory is given for, before it is parsed. Counts openings of arrays and objects,
 * commas and colons outside strings, which are at least as many as values and names; and names that differ, each of which is
 * kept as a text of its own.
 */
import { closingQuote, QUOTE } from './closing-quote.ts'

export type PartLimits = { readonly partsMax: number; readonly namesMax: number }

const COMMA = 0x2c
const COLON = 0x3a
const ARRAY_OPENS = 0x5b
const OBJECT_OPENS = 0x7b

/** A text of fewer characters than a limit cannot pass it, and is not read. */
export function hasMoreParts(text: string, { namesMax, partsMax }: PartLimits): boolean {
  if (text.length <= Math.min(partsMax, namesMax)) return false
  const names = nameCounter()
  let parts = 0
  let stringAt = 0
  for (let at = 0; at < text.length && parts <= partsMax; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit === QUOTE) {
      stringAt = at
      at = closingQuote(text, at)
    } else if (unit === COLON) {
      parts += 1
      if (names.add(text, stringAt) > namesMax) return true
    } else if (opensOrParts(unit)) {
      parts += 1
    }
  }
  return parts > partsMax
}

function opensOrParts(unit: number): boolean {
  return unit === COMMA || unit === ARRAY_OPENS || unit === OBJECT_OPENS
}

/** 2 ** 20, of which names up to the limit fill a small part. */
const BITS = 1_048_576

/** Counts names by one bit of their hash: a few less than there are, for names that share one. */
function nameCounter() {
  const seen = new Uint8Array(BITS / 8)
  let count = 0
  return {
    /** The name begins behind `quoteAt`. Answers how many there were so far. */
    add(text: string, quoteAt: number): number {
      const bit = hashOf(text, quoteAt + 1) % BITS
      const [byte, mask] = [bit >> 3, 1 << (bit & 7)]
      const before = seen[byte] ?? 0
      if ((before & mask) === 0) count += 1
      seen[byte] = before | mask
      return count
    },
  }
}

/** FNV-1a over the text up to its closing quote. */
function hashOf(text: string, from: number): number {
  let hash = 0x811c9dc5
  for (let at = from; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit === QUOTE && text.charCodeAt(at - 1) !== BACKSLASH) break
    hash = Math.imul(hash ^ unit, 0x01000193)
  }
  return hash >>> 0
}

const BACKSLASH = 0x5c

/**
 * Splits the text of a JSON array into the source texts of its items. A parsed number does not show
 * how it was written, so the text itself is split, in one pass that skips strings. The text is not
 * validated here.
 */
import { findClosingQuote, QUOTE } from './closing-quote.ts'

const COMMA = 0x2c

/** Change of depth at brackets and braces, by code unit. */
const DEPTH_CHANGES: ReadonlyMap<number, number> = new Map([
  [0x5b, 1],
  [0x5d, -1],
  [0x7b, 1],
  [0x7d, -1],
])

/** `text` is valid JSON: an array with at least one item. */
export function splitItemTexts(text: string): readonly string[] {
  const items: string[] = []
  const opens = text.indexOf('[')
  let from = opens + 1
  let depth = 0
  for (let at = opens; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit === QUOTE) at = findClosingQuote(text, at)
    depth += DEPTH_CHANGES.get(unit) ?? 0
    if (depth > 1 || (depth === 1 && unit !== COMMA)) continue
    items.push(text.slice(from, at))
    if (depth === 0) break
    from = at + 1
  }
  return items
}

/** Skips a string in JSON text, so that scanners do not read brackets in a string as structure. */

export const QUOTE = 0x22
const BACKSLASH = 0x5c

/**
 * Returns the index of the quote that ends the string at `openingQuote`. Without one, returns the
 * text's length, or one more.
 */
export function findClosingQuote(text: string, openingQuote: number): number {
  let at = openingQuote + 1
  while (at < text.length) {
    const unit = text.charCodeAt(at)
    if (unit === QUOTE) return at
    at += unit === BACKSLASH ? 2 : 1
  }
  return at
}

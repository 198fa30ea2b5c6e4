/** Skips a string in JSON text: scanners of raw text must not take what a string holds for structure. */

export const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Where the string ends that begins at `openingQuote`; the end of the text or past it where none ends it. */
export function closingQuote(text: string, openingQuote: number): number {
  let at = openingQuote + 1
  while (at < text.length) {
    const unit = text.charCodeAt(at)
    if (unit === QUOTE) return at
    at += unit === BACKSLASH ? 2 : 1
  }
  return at
}

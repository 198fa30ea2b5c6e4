/**
 * JSON with comments, as editors write it: a text that begins with a comment may have comments and
 * trailing commas. They become spaces, so that every other character keeps its line and column.
 */
import { findClosingQuote, QUOTE } from './closing-quote.ts'

/** Tells whether the text, after white space and a byte order mark, begins with a comment. */
export function beginsWithComment(text: string): boolean {
  return /^\s*\/[/*]/.test(text)
}

/**
 * Returns JSON of the same length. A text that does not begin with a comment is returned as it is:
 * in plain JSON a comment is an error. A comment that is not closed stays in the text.
 */
export function blankComments(text: string): string {
  return beginsWithComment(text) ? blankTrailingCommas(blank(text)) : text
}

function blank(text: string): string {
  const kept: string[] = []
  let from = 0
  for (let at = 0; at < text.length; at += 1) {
    const unit = text[at]
    if (unit === '"') at = findClosingQuote(text, at)
    if (unit !== '/' || (text[at + 1] !== '/' && text[at + 1] !== '*')) continue
    const end = findCommentEnd(text, at)
    // No later comment is closed either.
    if (end === undefined) break
    kept.push(text.slice(from, at), text.slice(at, end).replace(/[^\r\n]/g, ' '))
    from = end
    at = end - 1
  }
  return [...kept, text.slice(from)].join('')
}

/** Returns the place after the comment that begins at `at`. */
function findCommentEnd(text: string, at: number): number | undefined {
  if (text[at + 1] === '/') {
    const lineEnd = text.indexOf('\n', at)
    return lineEnd === -1 ? text.length : lineEnd
  }
  const close = text.indexOf('*/', at + 2)
  return close === -1 ? undefined : close + 2
}

const COMMA = 0x2c

/** Blanks a comma between a value and a closing bracket. */
function blankTrailingCommas(text: string): string {
  const kept: string[] = []
  let from = 0
  let commaAt = -1
  let before = 0
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit <= 0x20) continue
    if (commaAt !== -1 && isClosing(unit)) {
      kept.push(text.slice(from, commaAt), ' ')
      from = commaAt + 1
    }
    commaAt = unit === COMMA && endsValue(before) ? at : -1
    before = unit
    if (unit === QUOTE) at = findClosingQuote(text, at)
  }
  return [...kept, text.slice(from)].join('')
}

/** `]` or `}`. */
function isClosing(unit: number): boolean {
  return unit === 0x5d || unit === 0x7d
}

/** False for a comma, a colon and an opening bracket. */
function endsValue(unit: number): boolean {
  return !(unit === 0 || unit === COMMA || unit === 0x3a || unit === 0x5b || unit === 0x7b)
}

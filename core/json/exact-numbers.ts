/**
 * Keeps numbers that JSON.parse would change as strings with a mark. Documents of third parties
 * have bounds and defaults that no double can hold. Code that reads such a document leaves these
 * numbers out or shows their digits, and never uses a rounded number.
 */
import { isExactAsDouble } from './changed-numbers.ts'
import { findClosingQuote, QUOTE } from './closing-quote.ts'
import type { Json } from './json.ts'

/** A noncharacter of Unicode, which no document contains. */
const MARK = '\ufdd0'
const NUMBER = /-?\d[\d.eE+-]*/y
const WHOLE_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
/** The same as in changed-numbers.ts. Text without a match needs no scan. */
const LONG_NUMBER = /\d[\d.]{15}|\d[eE]/

/** Replaces each number that would change by a marked string. Invalid JSON stays invalid. */
export function markExactNumbers(text: string): string {
  if (!LONG_NUMBER.test(text)) return text
  const parts: string[] = []
  let from = 0
  for (let at = 0; at < text.length; ) {
    const unit = text.charCodeAt(at)
    if (unit === QUOTE) {
      at = findClosingQuote(text, at) + 1
      continue
    }
    const source = isNumberStart(unit) ? matchNumber(text, at) : ''
    if (source !== '' && WHOLE_NUMBER.test(source) && !isExactAsDouble(source)) {
      parts.push(text.slice(from, at), JSON.stringify(toExactNumber(source)))
      from = at + source.length
    }
    at += Math.max(1, source.length)
  }
  return from === 0 ? text : [...parts, text.slice(from)].join('')
}

function isNumberStart(unit: number): boolean {
  return unit === 0x2d || (unit >= 0x30 && unit <= 0x39)
}

function matchNumber(text: string, at: number): string {
  NUMBER.lastIndex = at
  return NUMBER.exec(text)?.[0] ?? ''
}

/** Returns a number's digits as a marked string. */
export function toExactNumber(source: string): string {
  return `${MARK}${source}`
}

export function isExactNumber(value: Json | undefined): value is string {
  return typeof value === 'string' && value.startsWith(MARK)
}

/** True if the value is or contains a marked number. */
export function hasExactNumber(value: Json): boolean {
  return typeof value === 'string' ? value.startsWith(MARK) : JSON.stringify(value).includes(MARK)
}

/** Writes JSON text with the original digits of marked numbers. */
export function writeExactJson(value: Json): string {
  return JSON.stringify(value).replace(/"\ufdd0([^"]*)"/g, '$1')
}

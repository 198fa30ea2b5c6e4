/**
 * Numbers of a text that JSON.parse would change, kept as texts with a mark: documents of others have bounds and
 * defaults that no double holds. Who reads such a document leaves them out or shows their digits, and never takes
 * another number for them.
 */
import { survives } from './changed-numbers.ts'
import { closingQuote, QUOTE } from './closing-quote.ts'
import type { Json } from './json.ts'

/** A noncharacter of Unicode: no document has it for itself. */
const MARK = '\ufdd0'
const NUMBER = /-?\d[\d.eE+-]*/y
const WHOLE_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
/** As in changed-numbers.ts: other texts need no scan. */
const PERHAPS = /\d[\d.]{15}|\d[eE]/

/** JSON text in which each number that would change is a marked text. Text that is no JSON stays none. */
export function withExactNumbers(text: string): string {
  if (!PERHAPS.test(text)) return text
  const parts: string[] = []
  let from = 0
  for (let at = 0; at < text.length; ) {
    const unit = text.charCodeAt(at)
    if (unit === QUOTE) {
      at = closingQuote(text, at) + 1
      continue
    }
    const source = isNumberStart(unit) ? numberAt(text, at) : ''
    if (source !== '' && WHOLE_NUMBER.test(source) && !survives(source)) {
      parts.push(text.slice(from, at), JSON.stringify(exactNumber(source)))
      from = at + source.length
    }
    at += Math.max(1, source.length)
  }
  return from === 0 ? text : [...parts, text.slice(from)].join('')
}

function isNumberStart(unit: number): boolean {
  return unit === 0x2d || (unit >= 0x30 && unit <= 0x39)
}

function numberAt(text: string, at: number): string {
  NUMBER.lastIndex = at
  return NUMBER.exec(text)?.[0] ?? ''
}

/** The marked text of a number's digits. */
export function exactNumber(source: string): string {
  return `${MARK}${source}`
}

export function isExactNumber(value: Json | undefined): value is string {
  return typeof value === 'string' && value.startsWith(MARK)
}

/** Whether the value is or contains a number that JSON.parse would have changed. */
export function holdsExactNumber(value: Json): boolean {
  return typeof value === 'string' ? value.startsWith(MARK) : JSON.stringify(value).includes(MARK)
}

/** JSON text with the digits of such numbers as they were written. */
export function exactText(value: Json): string {
  return JSON.stringify(value).replace(/"\ufdd0([^"]*)"/g, '$1')
}

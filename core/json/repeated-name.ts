/**
 * Finds a name that one JSON object has twice. JSON.parse keeps the last value, a person reads the
 * first, and a proxy may act on either. Names are compared after decoding: `"\u0061"` is `"a"`. The
 * text must be valid JSON. The names in the text and the members of the value are counted first; if
 * the counts are equal, no name is repeated and the text is not tokenized.
 */
import { findClosingQuote, QUOTE } from './closing-quote.ts'
import { isJsonObject, type Json } from './json.ts'

const COMMA = 0x2c
const COLON = 0x3a
const BRACKET_OPENS = 0x5b
const BRACKET_CLOSES = 0x5d
const BACKSLASH = 0x5c
const BRACE_OPENS = 0x7b
const BRACE_CLOSES = 0x7d
const SPACE = 0x20

export type NamePath = readonly (string | number)[]

/** Returns the path of the first repeated name, ending with it. `value` was parsed from `text`. */
export function findRepeatedName(text: string, value: Json): NamePath | undefined {
  return countNames(text) === countMembers(value) ? undefined : findRepeated(text)
}

/** Counts names: strings with a colon after them. */
function countNames(text: string): number {
  let count = 0
  for (let from = text.indexOf('"'); from >= 0; from = text.indexOf('"', from)) {
    from = quoteAfter(text, from + 1) + 1
    while (text.charCodeAt(from) <= SPACE) from += 1
    if (text.charCodeAt(from) === COLON) count += 1
  }
  return count
}

/** {@link findClosingQuote} with `indexOf`, which is faster: most strings have no quote in them. */
function quoteAfter(text: string, from: number): number {
  let at = text.indexOf('"', from)
  while (at >= 0 && isEscaped(text, from, at)) at = text.indexOf('"', at + 1)
  return at < 0 ? text.length : at
}

function isEscaped(text: string, from: number, at: number): boolean {
  let before = at
  while (before > from && text.charCodeAt(before - 1) === BACKSLASH) before -= 1
  return (at - before) % 2 === 1
}

/** The depth limit, which was checked before, bounds the recursion. */
function countMembers(value: Json): number {
  if (typeof value !== 'object' || value === null) return 0
  const isObject = isJsonObject(value)
  const inner: readonly Json[] = isObject ? Object.values(value) : value
  let count = isObject ? inner.length : 0
  for (const one of inner) if (typeof one === 'object') count += countMembers(one)
  return count
}

/** One open array or object. `at` is the index, or the last name that was read. */
type Level = {
  /** Names of an object so far; undefined for an array. */
  readonly seen: Set<string> | undefined
  isNameNext: boolean
  at: string | number
}

function findRepeated(text: string): NamePath | undefined {
  const levels: Level[] = []
  for (let at = 0; at < text.length; at += 1) {
    const level = levels.at(-1)
    const unit = text.charCodeAt(at)
    if (unit === QUOTE) {
      const end = findClosingQuote(text, at)
      const isName = level?.isNameNext === true
      if (isName && isRepeated(level, text.slice(at, end + 1))) return levels.map((one) => one.at)
      at = end
    } else readStructure(levels, unit)
  }
  return undefined
}

/** Reads a bracket, brace or comma outside strings. */
function readStructure(levels: Level[], unit: number): void {
  const level = levels.at(-1)
  switch (unit) {
    case BRACKET_OPENS:
      levels.push({ seen: undefined, isNameNext: false, at: 0 })
      break
    case BRACE_OPENS:
      levels.push({ seen: new Set(), isNameNext: true, at: '' })
      break
    case BRACKET_CLOSES:
    case BRACE_CLOSES:
      levels.pop()
      break
    case COMMA:
      if (level !== undefined) goToNext(level)
      break
    default:
      break
  }
}

function isRepeated(level: Level, quoted: string): boolean {
  const name = String(JSON.parse(quoted))
  level.at = name
  level.isNameNext = false
  if (level.seen?.has(name) === true) return true
  level.seen?.add(name)
  return false
}

function goToNext(level: Level): void {
  if (level.seen !== undefined) level.isNameNext = true
  else if (typeof level.at === 'number') level.at += 1
}

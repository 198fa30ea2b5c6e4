/**
 * Finds a name that one JSON object gives twice: JSON.parse keeps the last value, a reader sees the first, and a proxy may
 * act on either. Names are compared as they are decoded: `"\u0061"` is `"a"`. The text must be valid JSON. Names are counted in the text
 * and in the value first, so a text without repeated names is not tokenized.
 */
import { closingQuote, QUOTE } from './closing-quote.ts'
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

/** The path of the first repeated name, itself included; undefined when there is none. `value` was parsed from `text`. */
export function repeatedName(text: string, value: Json): NamePath | undefined {
  return namesIn(text) === membersIn(value) ? undefined : findRepeated(text)
}

/** Strings that a colon follows. */
function namesIn(text: string): number {
  let count = 0
  for (let from = text.indexOf('"'); from >= 0; from = text.indexOf('"', from)) {
    from = quoteAfter(text, from + 1) + 1
    while (text.charCodeAt(from) <= SPACE) from += 1
    if (text.charCodeAt(from) === COLON) count += 1
  }
  return count
}

/** As {@link closingQuote}, by the engine's own search: most strings have no quote inside. */
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

/** Recursion is bounded by the depth limit, which was checked before. */
function membersIn(value: Json): number {
  if (typeof value !== 'object' || value === null) return 0
  const isObject = isJsonObject(value)
  const inner: readonly Json[] = isObject ? Object.values(value) : value
  let count = isObject ? inner.length : 0
  for (const one of inner) if (typeof one === 'object') count += membersIn(one)
  return count
}

/** `place` is the index, or the name that was read last; `seen` is undefined for an array. */
type Level = {
  readonly seen: Set<string> | undefined
  isNameNext: boolean
  place: string | number
}

function findRepeated(text: string): NamePath | undefined {
  const levels: Level[] = []
  for (let at = 0; at < text.length; at += 1) {
    const level = levels.at(-1)
    const unit = text.charCodeAt(at)
    if (unit === QUOTE) {
      const end = closingQuote(text, at)
      const isName = level?.isNameNext === true
      if (isName && isRepeated(level, text.slice(at, end + 1))) return levels.map(placeOf)
      at = end
    } else readMark(levels, unit)
  }
  return undefined
}

function placeOf({ place }: Level): string | number {
  return place
}

/** Structure outside strings. */
function readMark(levels: Level[], unit: number): void {
  const level = levels.at(-1)
  switch (unit) {
    case BRACKET_OPENS:
      levels.push({ seen: undefined, isNameNext: false, place: 0 })
      break
    case BRACE_OPENS:
      levels.push({ seen: new Set(), isNameNext: true, place: '' })
      break
    case BRACKET_CLOSES:
    case BRACE_CLOSES:
      levels.pop()
      break
    case COMMA:
      if (level !== undefined) toNext(level)
      break
    default:
      break
  }
}

function isRepeated(level: Level, quoted: string): boolean {
  const name = String(JSON.parse(quoted))
  level.place = name
  level.isNameNext = false
  if (level.seen?.has(name) === true) return true
  level.seen?.add(name)
  return false
}

function toNext(level: Level): void {
  if (level.seen !== undefined) level.isNameNext = true
  else if (typeof level.place === 'number') level.place += 1
}

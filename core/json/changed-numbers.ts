/**
 * Numbers that JSON.parse changes: 9007199254740993 becomes its neighbour, 1e999 none at all, and digits
 * beyond the seventeenth are lost. The rule: a number survives when the shortest text of the double that it
 * becomes has the same decimal value, so 1.0, 1e2, 0.1 and 0.30000000000000004 do. The text must be valid JSON;
 * it is scanned only if such a number may be in it.
 * Where such a number is kept, `exactJson` makes a raw number of it, and `numberText` gives its text: a request id has to go
 * back unchanged. The text is parsed a second time only when the first parse may have changed a number.
 */
import type { FieldFault } from '../errors.ts'
import { closingQuote, QUOTE } from './closing-quote.ts'
import { isJsonObject, type Json } from './json.ts'
import { jsonPointer } from './json-pointer.ts'
import { rawNumber } from './raw-number.ts'

/** Faults in one answer. */
export const CHANGED_NUMBERS_MAX = 20
const MESSAGE =
  'is a number that would be changed on its way: it has more digits than a double keeps; send it as a string'

/** Up to 15 digits without an exponent are always kept. */
const PERHAPS = /\d[\d.]{15}|\d[eE]/
const KEPT_CHARS_MAX = 15

const COMMA = 0x2c
const MINUS = 0x2d
const ZERO = 0x30
const NINE = 0x39
const BRACKET_OPENS = 0x5b
const BRACKET_CLOSES = 0x5d
const BRACE_OPENS = 0x7b
const BRACE_CLOSES = 0x7d

/** In which array or object: the index, or where the name stands in the text, quotes included. */
type Level = { readonly isArray: boolean; index: number; nameFrom: number; nameTo: number }
type Reading = {
  readonly text: string
  readonly under: readonly string[]
  readonly levels: Level[]
  readonly faults: FieldFault[]
}

/** Those below the member that `under` names (outermost name first), with pointers from there. */
export function changedNumbers(text: string, under: readonly string[]): readonly FieldFault[] {
  if (!PERHAPS.test(text)) return []
  const reading: Reading = { text, under, levels: [], faults: [] }
  for (let at = 0; at < text.length && reading.faults.length < CHANGED_NUMBERS_MAX; ) {
    at = readToken(reading, at)
  }
  return reading.faults
}

/** Start of the next token, or of the white space or separator before it. */
function readToken(reading: Reading, at: number): number {
  const { levels, text } = reading
  const level = levels.at(-1)
  const unit = text.charCodeAt(at)
  switch (unit) {
    case QUOTE:
      return readText(text, at, level)
    case BRACKET_OPENS:
    case BRACE_OPENS:
      levels.push({ isArray: unit === BRACKET_OPENS, index: 0, nameFrom: -1, nameTo: -1 })
      return at + 1
    case BRACKET_CLOSES:
    case BRACE_CLOSES:
      levels.pop()
      return at + 1
    case COMMA:
      if (level?.isArray === true) level.index += 1
      else if (level !== undefined) level.nameFrom = -1
      return at + 1
    default:
      return isDigit(unit) || unit === MINUS ? readNumber(reading, at) : at + 1
  }
}

/** In an object, the first string after a comma or brace is a name. */
function readText(text: string, from: number, level: Level | undefined): number {
  const to = closingQuote(text, from) + 1
  if (level?.isArray === false && level.nameFrom < 0) {
    level.nameFrom = from
    level.nameTo = to
  }
  return to
}

function readNumber(reading: Reading, from: number): number {
  const { text } = reading
  let to = from + 1
  while (to < text.length && !isNumbersEnd(text.charCodeAt(to))) to += 1
  const source = text.slice(from, to)
  if (!survives(source)) noteChanged(reading)
  return to
}

function noteChanged(reading: Reading): void {
  const { faults, levels, under } = reading
  const at = (level: Level) =>
    level.isArray
      ? level.index
      : String(JSON.parse(reading.text.slice(level.nameFrom, level.nameTo)))
  const outer = levels.slice(0, under.length).map(at)
  if (outer.length < under.length || under.some((name, depth) => outer[depth] !== name)) return
  faults.push({ pointer: jsonPointer(levels.slice(under.length).map(at)), message: MESSAGE })
}

/** `source` is a number as JSON writes it. */
export function survives(source: string): boolean {
  const value = Number(source)
  if (!Number.isFinite(value)) return false
  const isShort = source.length <= KEPT_CHARS_MAX
  if (isShort && (Math.abs(value) >= NORMAL_MIN || /^-?[0.]+(?:[eE]|$)/.test(source))) return true
  const [sent, parsed] = [decimalOf(source), decimalOf(String(value))]
  return sent.digits === parsed.digits && (sent.digits === '' || sent.exponent === parsed.exponent)
}

/** Smaller doubles keep fewer digits. */
const NORMAL_MIN = 2 ** -1022

type Decimal = { readonly digits: string; readonly exponent: number }

/** 0.digits × 10^exponent, without zeros at either end; zero has no digits. The sign is never lost. */
function decimalOf(source: string): Decimal {
  const [mantissa = '', exponent = '0'] = source.replace(/^-/, '').split(/[eE]/)
  const [whole = '', fraction = ''] = mantissa.split('.')
  const all = whole + fraction
  let from = 0
  let to = all.length
  while (from < to && all.charCodeAt(from) === ZERO) from += 1
  while (to > from && all.charCodeAt(to - 1) === ZERO) to -= 1
  return { digits: all.slice(from, to), exponent: Number(exponent) + whole.length - from }
}

function isDigit(unit: number): boolean {
  return unit >= ZERO && unit <= NINE
}

/** White space as well: it has the lowest code units. */
function isNumbersEnd(unit: number): boolean {
  return unit === COMMA || unit === BRACKET_CLOSES || unit === BRACE_CLOSES || unit <= SPACE
}

const SPACE = 0x20

/** `parsed` is what JSON.parse made of `text`; it is returned as it is when no number changed. */
export function exactJson(text: string, parsed: Json): Json {
  if (changedNumbers(text, []).length === 0) return parsed
  return JSON.parse(text, (_name, value: Json, context?: { readonly source?: string }) => {
    const source = typeof value === 'number' ? context?.source : undefined
    return source === undefined || survives(source) ? value : rawNumber(source)
  })
}

/** A number after a colon that is not written as a plain integer. */
const NOT_PLAIN = /:\s*-?\d+[.eE]/

/**
 * `value` is the number at `path` (member names, outermost first) in `text`, which parses.
 * Nested names only: `['id']`, `['params', 'requestId']`.
 */
export function numberText(text: string, path: readonly string[], value: number): string {
  const plain = Number.isSafeInteger(value) && !Object.is(value, -0) && !NOT_PLAIN.test(text)
  return plain ? String(value) : (postedText(text, path) ?? String(value))
}

/**
 * JSON.parse gives the reviver each primitive's source text and holder, but not its path. So this
 * notes the sources by holder, then walks from the root to the holder. Of a repeated name, the last
 * one counts.
 */
function postedText(text: string, path: readonly string[]): string | undefined {
  const name = path.at(-1)
  const sources = new Map<unknown, string>()
  const root: Json = JSON.parse(
    text,
    function note(this: unknown, key: string, value: unknown, context?: { source?: string }) {
      if (key === name && context?.source !== undefined) sources.set(this, context.source)
      return value
    },
  )
  return sources.get(holderAt(root, path.slice(0, -1)))
}

function holderAt(root: Json, path: readonly string[]): Json | undefined {
  let holder: Json | undefined = root
  for (const name of path) holder = isJsonObject(holder) ? holder[name] : undefined
  return holder
}

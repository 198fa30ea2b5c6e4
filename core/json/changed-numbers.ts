/**
 * Finds numbers that JSON.parse changes: 9007199254740993 becomes its neighbour, 1e999 becomes
 * infinite, and digits after the seventeenth are lost. The rule: a double keeps a number if the
 * double's shortest text has the same decimal value. It keeps 1.0, 1e2, 0.1 and
 * 0.30000000000000004. The text must be valid JSON; it is scanned only if it may have such a
 * number. Two functions keep such numbers instead: `withRawNumbers` makes raw numbers of them, and
 * `readNumberText` returns their text, because a reply must repeat a request id exactly.
 */
import type { FieldError } from '../errors.ts'
import { findClosingQuote, QUOTE } from './closing-quote.ts'
import { isJsonObject, type Json } from './json.ts'
import { toJsonPointer } from './json-pointer.ts'
import { toRawNumber } from './raw-number.ts'

/** Changed numbers that one refusal lists. */
export const CHANGED_NUMBERS_MAX = 20
const MESSAGE =
  'is a number that would be changed on its way: it has more digits than a double keeps; send it as a string'

/** Finds text that may have a changed number: a double keeps 15 digits without an exponent. */
const LONG_NUMBER = /\d[\d.]{15}|\d[eE]/
const KEPT_CHARS_MAX = 15

const COMMA = 0x2c
const MINUS = 0x2d
const ZERO = 0x30
const NINE = 0x39
const BRACKET_OPENS = 0x5b
const BRACKET_CLOSES = 0x5d
const BRACE_OPENS = 0x7b
const BRACE_CLOSES = 0x7d

/**
 * One open array or object. An array has the current `index`; an object has the range of the
 * current name in the text, quotes included.
 */
type Level = { readonly isArray: boolean; index: number; nameFrom: number; nameTo: number }
type Scan = {
  readonly text: string
  readonly under: readonly string[]
  readonly levels: Level[]
  readonly faults: FieldError[]
}

/**
 * Returns a field error for each changed number inside the member that `under` names (outermost
 * name first), at most {@link CHANGED_NUMBERS_MAX}. Pointers start at that member.
 */
export function findChangedNumbers(text: string, under: readonly string[]): readonly FieldError[] {
  if (!LONG_NUMBER.test(text)) return []
  const scan: Scan = { text, under, levels: [], faults: [] }
  for (let at = 0; at < text.length && scan.faults.length < CHANGED_NUMBERS_MAX; ) {
    at = readToken(scan, at)
  }
  return scan.faults
}

/** Reads the token at `at` and returns where the scan continues. */
function readToken(scan: Scan, at: number): number {
  const { levels, text } = scan
  const level = levels.at(-1)
  const unit = text.charCodeAt(at)
  switch (unit) {
    case QUOTE:
      return readString(text, at, level)
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
      return isDigit(unit) || unit === MINUS ? readNumber(scan, at) : at + 1
  }
}

/** In an object, the first string after a comma or brace is a name. */
function readString(text: string, from: number, level: Level | undefined): number {
  const to = findClosingQuote(text, from) + 1
  if (level?.isArray === false && level.nameFrom < 0) {
    level.nameFrom = from
    level.nameTo = to
  }
  return to
}

function readNumber(scan: Scan, from: number): number {
  const { text } = scan
  let to = from + 1
  while (to < text.length && !isAfterNumber(text.charCodeAt(to))) to += 1
  const source = text.slice(from, to)
  if (!isExactAsDouble(source)) addChangedNumber(scan)
  return to
}

/** Adds a field error for the current position, unless it is outside the member `under`. */
function addChangedNumber(scan: Scan): void {
  const { faults, levels, under } = scan
  const toPart = (level: Level) =>
    level.isArray ? level.index : String(JSON.parse(scan.text.slice(level.nameFrom, level.nameTo)))
  const outer = levels.slice(0, under.length).map(toPart)
  if (outer.length < under.length || under.some((name, depth) => outer[depth] !== name)) return
  faults.push({ pointer: toJsonPointer(levels.slice(under.length).map(toPart)), message: MESSAGE })
}

/** True if a double keeps the number. `source` is a number as JSON writes it. */
export function isExactAsDouble(source: string): boolean {
  const value = Number(source)
  if (!Number.isFinite(value)) return false
  const isShort = source.length <= KEPT_CHARS_MAX
  if (isShort && (Math.abs(value) >= NORMAL_MIN || /^-?[0.]+(?:[eE]|$)/.test(source))) return true
  const [sent, parsed] = [toDecimal(source), toDecimal(String(value))]
  return sent.digits === parsed.digits && (sent.digits === '' || sent.exponent === parsed.exponent)
}

/** The smallest normal double. Smaller doubles keep fewer digits. */
const NORMAL_MIN = 2 ** -1022

type Decimal = { readonly digits: string; readonly exponent: number }

/**
 * Returns the number as 0.digits × 10^exponent, without zeros at either end. Zero has no digits.
 * The sign is left out, because a double always keeps it.
 */
function toDecimal(source: string): Decimal {
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

/** Includes white space, which has the lowest code units. */
function isAfterNumber(unit: number): boolean {
  return unit === COMMA || unit === BRACKET_CLOSES || unit === BRACE_CLOSES || unit <= SPACE
}

const SPACE = 0x20

/** Returns `parsed`, the value of `text`, with raw numbers in place of changed numbers. */
export function withRawNumbers(text: string, parsed: Json): Json {
  if (findChangedNumbers(text, []).length === 0) return parsed
  return JSON.parse(text, (_name, value: Json, context?: { readonly source?: string }) => {
    const source = typeof value === 'number' ? context?.source : undefined
    return source === undefined || isExactAsDouble(source) ? value : toRawNumber(source)
  })
}

/** A number after a colon with a fraction or an exponent. */
const NOT_PLAIN = /:\s*-?\d+[.eE]/

/**
 * Returns the source text of the number at `path` in `text`; `value` is its parsed value. `path`
 * has member names, outermost first, and no indexes: `['id']`, `['params', 'requestId']`. The text
 * is parsed again only if the first parse may have changed the number.
 */
export function readNumberText(text: string, path: readonly string[], value: number): string {
  const plain = Number.isSafeInteger(value) && !Object.is(value, -0) && !NOT_PLAIN.test(text)
  return plain ? String(value) : (findSourceText(text, path) ?? String(value))
}

/**
 * JSON.parse gives the reviver each primitive's source text and the object that holds it, but not
 * its path. This function therefore stores source texts by object and then walks from the root to
 * the object. If a name is repeated, its last value is used.
 */
function findSourceText(text: string, path: readonly string[]): string | undefined {
  const name = path.at(-1)
  const sources = new Map<unknown, string>()
  const root: Json = JSON.parse(
    text,
    function storeSource(
      this: unknown,
      key: string,
      value: unknown,
      context?: { source?: string },
    ) {
      if (key === name && context?.source !== undefined) sources.set(this, context.source)
      return value
    },
  )
  return sources.get(findHolder(root, path.slice(0, -1)))
}

function findHolder(root: Json, path: readonly string[]): Json | undefined {
  let holder: Json | undefined = root
  for (const name of path) holder = isJsonObject(holder) ? holder[name] : undefined
  return holder
}

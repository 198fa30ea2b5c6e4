/** Checks of keywords about a whole value: its type, its choices, bounds of numbers, and texts. */
import { format as library } from '@cfworker/json-schema'
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts'
import { compileTextPattern } from './check-pattern.ts'
import {
  type BuildCheck,
  type SchemaCheck,
  type SchemaDocument,
  UnusableSchema,
} from './compiled-schema.ts'
import { CHARS_PER_STEP, noteMisfit, type SchemaRun, spend } from './schema-run.ts'

export const VALUE_KEYWORDS: readonly BuildCheck[] = [
  buildType,
  (schema) => (schema['const'] === undefined ? undefined : buildChoice('const', schema['const'])),
  (schema) => (schema['enum'] === undefined ? undefined : buildChoice('enum', schema['enum'])),
]

export const NUMBER_KEYWORDS: readonly BuildCheck[] = [
  buildBound('minimum', (value, limit) => value >= limit),
  buildBound('maximum', (value, limit) => value <= limit),
  buildBound('exclusiveMinimum', (value, limit) => value > limit),
  buildBound('exclusiveMaximum', (value, limit) => value < limit),
  buildMultiple,
]

function buildType({ type }: JsonObject): SchemaCheck | undefined {
  if (type === undefined) return undefined
  const types: ReadonlySet<Json> = new Set(Array.isArray(type) ? type : [type])
  return (run, value, at) =>
    types.has(readType(value)) ||
    (types.has('integer') && Number.isInteger(value)) ||
    noteMisfit(run, at, 'type', type)
}

function readType(value: Json): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

function buildChoice(keyword: 'const' | 'enum', limit: Json): SchemaCheck {
  const choices = keyword === 'const' ? [limit] : limit
  if (!Array.isArray(choices)) throw new UnusableSchema()
  const plain: ReadonlySet<Json> = new Set(choices.filter((one) => !isNested(one)))
  const nested: readonly Json[] = choices.filter(isNested)
  return (run, value, at) =>
    (isNested(value) ? nested.some((one) => isSame(run, value, one)) : plain.has(value)) ||
    noteMisfit(run, at, keyword, limit)
}

function isNested(value: Json): boolean {
  return typeof value === 'object' && value !== null
}

function isSame(run: SchemaRun, one: Json, two: Json): boolean {
  spend(run, 1)
  if (!isNested(one) || !isNested(two)) return one === two
  if (Array.isArray(one) || Array.isArray(two)) {
    if (!Array.isArray(one) || !Array.isArray(two) || one.length !== two.length) return false
    return one.every((item: Json, index) => isSame(run, item, two[index]))
  }
  if (!isJsonObject(one) || !isJsonObject(two)) return false
  const names = Object.keys(one)
  spend(run, names.length)
  if (names.length !== Object.keys(two).length) return false
  return names.every(
    (name) => Object.hasOwn(two, name) && isSame(run, one[name] ?? null, two[name] ?? null),
  )
}

function buildBound(
  keyword: string,
  isWithin: (value: number, limit: number) => boolean,
): BuildCheck {
  return (schema) => {
    const limit = schema[keyword]
    if (typeof limit !== 'number') return undefined
    return (run, value, at) => isWithin(Number(value), limit) || noteMisfit(run, at, keyword, limit)
  }
}

function buildMultiple({ multipleOf: divisor }: JsonObject): SchemaCheck | undefined {
  if (typeof divisor !== 'number') return undefined
  return (run, value, at) =>
    isMultiple(run, Number(value), divisor) || noteMisfit(run, at, 'multipleOf', divisor)
}

/** Compares decimals: 0.3 is three times 0.1, although the doubles are not. */
function isMultiple(run: SchemaRun, value: number, divisor: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0
  if (!Number.isFinite(value) || !(divisor > 0)) return false
  const [one, two] = [toDecimal(value), toDecimal(divisor)]
  const shift = one.exponent - two.exponent
  spend(run, STEPS_PER_DECIMAL + Math.abs(shift))
  return shift >= 0
    ? (one.digits * 10n ** BigInt(shift)) % two.digits === 0n
    : one.digits % (two.digits * 10n ** BigInt(-shift)) === 0n
}

const STEPS_PER_DECIMAL = 32

/** The number is digits × 10^exponent. */
function toDecimal(value: number): { readonly digits: bigint; readonly exponent: number } {
  const [mantissa = '0', exponent = '0'] = String(Math.abs(value)).split('e')
  const [whole = '0', fraction = ''] = mantissa.split('.')
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length }
}

export const TEXT_KEYWORDS: readonly BuildCheck[] = [
  ({ minLength }) =>
    typeof minLength !== 'number'
      ? undefined
      : (run, value, at) =>
          isAtLeast(run, String(value), minLength) || noteMisfit(run, at, 'minLength', minLength),
  ({ maxLength }) =>
    typeof maxLength !== 'number'
      ? undefined
      : (run, value, at) =>
          !isAtLeast(run, String(value), maxLength + 1) ||
          noteMisfit(run, at, 'maxLength', maxLength),
  buildPattern,
  buildFormat,
]

/** Counts characters, which have one or two UTF-16 units; mostly the length alone decides. */
function isAtLeast(run: SchemaRun, text: string, chars: number): boolean {
  if (text.length < chars) return false
  if (text.length >= chars * 2) return true
  spend(run, text.length / CHARS_PER_STEP)
  let count = text.length
  for (let at = 1; at < text.length; at += 1) {
    if (isLowSurrogate(text.charCodeAt(at)) && isHighSurrogate(text.charCodeAt(at - 1))) count -= 1
  }
  return count >= chars
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd8_00 && unit <= 0xdb_ff
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc_00 && unit <= 0xdf_ff
}

function buildPattern({ pattern }: JsonObject, document: SchemaDocument): SchemaCheck | undefined {
  if (pattern === undefined) return undefined
  const fits = compileTextPattern(pattern, document)
  return (run, value, at) => fits(run, String(value), at) || noteMisfit(run, at, 'pattern', pattern)
}

/**
 * A text over SHORT_FORMAT_UNITS_MAX has none of these formats; some checks would refuse it slowly.
 */
const SHORT_FORMATS: ReadonlySet<string> = new Set(
  'date time date-time duration email hostname ipv4 ipv6 uuid regex'.split(' '),
)
const SHORT_FORMAT_UNITS_MAX = 4_096
/** The library's `url` (no format of the standard) would backtrack for hours on 40 letters. */
const FORMATS = new Map(Object.entries({ ...library, url: library['uri'] }))

const STEPS_PER_FORMAT = 10

function buildFormat({ format }: JsonObject): SchemaCheck | undefined {
  const hasFormat = typeof format === 'string' ? FORMATS.get(format) : undefined
  if (hasFormat === undefined || format === undefined) return undefined
  const unitsMax = SHORT_FORMATS.has(String(format))
    ? SHORT_FORMAT_UNITS_MAX
    : Number.POSITIVE_INFINITY
  return (run, value, at) => {
    const text = String(value)
    spend(run, STEPS_PER_FORMAT + text.length / CHARS_PER_STEP)
    return (text.length <= unitsMax && hasFormat(text)) || noteMisfit(run, at, 'format', format)
  }
}

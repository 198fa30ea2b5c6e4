/** Checks of keywords about texts: length, pattern, format. */
import { format as library } from '@cfworker/json-schema'
import type { JsonObject } from '../../core/json/json.ts'
import { textPattern } from './check-pattern.ts'
import type { Build, Check, Document } from './compiled-schema.ts'
import { CHARS_PER_STEP, misfit, type Run, spend } from './schema-run.ts'

export const TEXT: readonly Build[] = [
  ({ minLength }) =>
    typeof minLength !== 'number'
      ? undefined
      : (run, value, at) =>
          isAtLeast(run, String(value), minLength) || misfit(run, at, 'minLength', minLength),
  ({ maxLength }) =>
    typeof maxLength !== 'number'
      ? undefined
      : (run, value, at) =>
          !isAtLeast(run, String(value), maxLength + 1) || misfit(run, at, 'maxLength', maxLength),
  buildPattern,
  buildFormat,
]

/** Counts characters, which have one or two UTF-16 units; mostly the length alone decides. */
function isAtLeast(run: Run, text: string, chars: number): boolean {
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

function buildPattern({ pattern }: JsonObject, document: Document): Check | undefined {
  if (pattern === undefined) return undefined
  const fits = textPattern(pattern, document)
  return (run, value, at) => fits(run, String(value), at) || misfit(run, at, 'pattern', pattern)
}

/** A text over SHORT_FORMAT_UNITS_MAX has none of these formats; some checks would refuse it slowly. */
const SHORT_FORMATS: ReadonlySet<string> = new Set(
  'date time date-time duration email hostname ipv4 ipv6 uuid regex'.split(' '),
)
const SHORT_FORMAT_UNITS_MAX = 4_096
/** The library's `url` (no format of the standard) would backtrack for hours on 40 letters. */
const FORMATS = new Map(Object.entries({ ...library, url: library['uri'] }))

const STEPS_PER_FORMAT = 10

function buildFormat({ format }: JsonObject): Check | undefined {
  const hasFormat = typeof format === 'string' ? FORMATS.get(format) : undefined
  if (hasFormat === undefined || format === undefined) return undefined
  const unitsMax = SHORT_FORMATS.has(String(format))
    ? SHORT_FORMAT_UNITS_MAX
    : Number.POSITIVE_INFINITY
  return (run, value, at) => {
    const text = String(value)
    spend(run, STEPS_PER_FORMAT + text.length / CHARS_PER_STEP)
    return (text.length <= unitsMax && hasFormat(text)) || misfit(run, at, 'format', format)
  }
}

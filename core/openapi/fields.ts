/** Readers of optional fields. A document may have any value in any place, so no reader throws. */
import { isExactNumber } from '../json/exact-numbers.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'

export const EMPTY_OBJECT: JsonObject = Object.freeze({})

export function asObject(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : EMPTY_OBJECT
}

/** Counts the members of an object, once per object: many operations may refer to a long one. */
export function countMembers(value: JsonObject): number {
  const count = counts.get(value) ?? Object.keys(value).length
  counts.set(value, count)
  return count
}

const counts = new WeakMap<JsonObject, number>()

export function asList(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : []
}

export function asText(value: Json | undefined): string | undefined {
  const isText = typeof value === 'string' && value.trim() !== '' && !isExactNumber(value)
  return isText ? value : undefined
}

export function asTexts(value: Json | undefined): readonly string[] {
  return asList(value).filter((one) => typeof one === 'string')
}

/** UTF-16 units that are read for each code point that is kept, including spaces at the ends. */
const UNITS_READ = 4

function replaceControls(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(/\p{Cc}/gu, (char) => (char === '\n' || char === '\t' ? char : ' '))
}

/** Cuts a text to whole code points and ends it in … if it was cut. Replaces most controls. */
export function shortenText(text: string, charsMax: number): string {
  // Some descriptions are a hundred times longer than the limit.
  const start = text.slice(0, charsMax * UNITS_READ)
  const clean = (/[\p{Cc}\p{Cs}]/u.test(start) ? replaceControls(start) : start).trim()
  if (clean.length <= charsMax) return clean
  // Nearly every text has no surrogate pairs; then each unit is a code point.
  if (!/[\ud800-\udfff]/.test(clean)) return `${clean.slice(0, charsMax - 1).trimEnd()}…`
  const chars = [...clean]
  return chars.length <= charsMax
    ? clean
    : `${chars
        .slice(0, charsMax - 1)
        .join('')
        .trimEnd()}…`
}

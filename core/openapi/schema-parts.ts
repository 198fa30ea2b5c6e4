/**
 * Writes parts of one schema: values of keywords, descriptions, null, and one side's properties.
 */
import { hasExactNumber, writeExactJson } from '../json/exact-numbers.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { asObject, asText, asTexts, shortenText } from './fields.ts'
import { readHtml } from './html-text.ts'
import { PARAMETER_DESCRIPTION_CHARS_MAX } from './limits.ts'
import { resolveObject } from './references.ts'
import { PLAIN_KEYWORDS } from './schema-keywords.ts'
import type { SchemaLosses } from './schema-losses.ts'
import type { Discriminator } from './subtypes.ts'

/** Characters of a value that a note or a description shows. */
const SHOWN_CHARS_MAX = 80

/**
 * Returns undefined, and adds a loss, for an invalid value or a number that clients would change.
 */
export function writePlainValue(
  keyword: string,
  value: Json,
  losses: SchemaLosses,
): Json | undefined {
  if (hasExactNumber(value)) {
    losses.numbers.add(`${keyword} ${shortenText(writeExactJson(value), SHOWN_CHARS_MAX)}`)
    return undefined
  }
  const fits = Object.hasOwn(PLAIN_KEYWORDS, keyword) ? PLAIN_KEYWORDS[keyword] : undefined
  if (fits?.(value) !== true) {
    losses.values.add(`${keyword} ${shortenText(JSON.stringify(value), SHOWN_CHARS_MAX)}`)
    return undefined
  }
  return keyword === 'required' ? [...new Set(asTexts(value))] : value
}

/**
 * Writes the description, with the default of the upstream's server, because a tool sends no
 * default itself. It also names the discriminator of a schema with alternatives.
 */
export function writeDescription(
  schema: JsonObject,
  discriminator: Discriminator | undefined,
  {
    detail,
    losses,
  }: { readonly detail: { readonly hasDescriptions: boolean }; readonly losses: SchemaLosses },
): string | undefined {
  const { default: standard, description } = schema
  if (standard !== undefined && hasExactNumber(standard)) {
    losses.numbers.add(`default ${shortenText(writeExactJson(standard), SHOWN_CHARS_MAX)}`)
  }
  if (!detail.hasDescriptions) return undefined
  const ends = [
    ...(standard === undefined ? [] : [writeDefault(standard)]),
    ...(discriminator === undefined ? [] : [`${discriminator.property} says which one.`]),
  ]
  if (description !== undefined && typeof description !== 'string') {
    losses.values.add(`description ${shortenText(JSON.stringify(description), SHOWN_CHARS_MAX)}`)
  }
  return joinDescription(asText(description), ends, losses)
}

function writeDefault(value: Json): string {
  return `Default: ${shortenText(writeExactJson(value), SHOWN_CHARS_MAX)}.`
}

/** Joins the text and the ends. Only the text is cut to fit the limit. */
export function joinDescription(
  text: string | undefined,
  ends: readonly string[],
  losses: SchemaLosses,
): string | undefined {
  const end = ends.join(' ')
  const room = PARAMETER_DESCRIPTION_CHARS_MAX - (end === '' ? 0 : end.length + 1)
  const plain = readHtml(text ?? '')
  if (plain !== (text ?? '')) losses.html += 1
  const start = shortenText(plain, Math.max(1, room))
  if (start.endsWith('…') && !plain.trimEnd().endsWith('…')) {
    losses.descriptions += 1
  }
  const whole = [start, end].filter((one) => one !== '').join(' ')
  return whole === '' ? undefined : whole
}

/**
 * Adds null to the types. Upgraded documents still have `nullable` beside `allOf`, or `x-nullable`.
 */
export function withNull(schema: JsonObject, result: JsonObject): JsonObject {
  const isNullable = schema['nullable'] === true || schema['x-nullable'] === true
  if (!isNullable || Object.keys(result).length === 0) return result
  const { enum: values, type } = result
  if (type === undefined) return { anyOf: [result, { type: 'null' }] }
  const types: readonly Json[] = Array.isArray(type) ? type : [type]
  if (types.includes('null')) return result
  const withValues = Array.isArray(values) ? { enum: [...values, null] } : {}
  return { ...result, ...withValues, type: [...types, 'null'] }
}

/** Removes `readOnly` properties from input, and `writeOnly` properties from output. */
export function withoutOtherSide(
  document: JsonObject,
  result: JsonObject,
  schema: JsonObject,
  side: 'input' | 'output',
): JsonObject {
  const { properties } = result
  if (!isJsonObject(properties)) return result
  const flag = side === 'input' ? 'readOnly' : 'writeOnly'
  const isHidden = (inner: Json | undefined) =>
    asObject(inner)[flag] === true || resolveObject(document, inner)?.[flag] === true
  // Only written properties are checked; a schema that is too large has none.
  const all = asObject(schema['properties'])
  const hidden = new Set(Object.keys(properties).filter((name) => isHidden(all[name])))
  if (hidden.size === 0) return result
  const shown = Object.entries(properties).filter(([name]) => !hidden.has(name))
  const required = asTexts(result['required']).filter((name) => !hidden.has(name))
  const still = result['required'] === undefined ? {} : { required }
  return { ...result, properties: Object.fromEntries(shown), ...still }
}

/** Returns only the type of a schema that is too deep. */
export function writeTypeOnly(document: JsonObject, schema: JsonObject): JsonObject {
  const target = resolveObject(document, schema) ?? schema
  const { type } = target
  if (type !== undefined && PLAIN_KEYWORDS['type']?.(type) === true) return { type }
  return isJsonObject(target['properties']) ? { type: 'object' } : {}
}

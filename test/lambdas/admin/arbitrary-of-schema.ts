/**
 * Values that fit a JSON Schema, as fast-check makes them: for the keywords that our OpenAPI document
 * uses. `known` gives values that mean something by the name of the field, such as ids of users that
 * there are: by chance alone no request would find one.
 */
import fc from 'fast-check'
import { explainHiddenText } from '../../../core/json/hidden-text.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts'
import { followed, objectAt } from './openapi-document.ts'

export type KnownValues = { readonly [field: string]: readonly Json[] }
export type ArbitraryOptions = { readonly document: JsonObject; readonly known: KnownValues }

const ITEMS_MAX = 3
const CHARS_MAX = 300

export function arbitraryOf(
  making: ArbitraryOptions,
  schema: Json,
  field = '',
): fc.Arbitrary<Json> {
  if (!isJsonObject(schema)) return anyJson()
  const known = making.known[field]
  const made = madeOf(making, followed(making.document, schema), field)
  if (known === undefined) return made
  // Mostly a known value, since a request may need several of them to be accepted.
  return fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...known) },
    { weight: 1, arbitrary: made },
  )
}

/** Small, and without what no body may hold. */
export function anyJson(): fc.Arbitrary<Json> {
  return fc.jsonValue({ maxDepth: 2 }).map((value): Json => JSON.parse(JSON.stringify(value)))
}

function madeOf(making: ArbitraryOptions, schema: JsonObject, field: string): fc.Arbitrary<Json> {
  const { anyOf, const: only, enum: some, type } = schema
  if (only !== undefined) return fc.constant(only)
  if (Array.isArray(some)) return fc.constantFrom<Json>(...some)
  if (Array.isArray(anyOf)) {
    return fc.oneof(...anyOf.map((one: Json) => arbitraryOf(making, one, field)))
  }
  if (Array.isArray(type)) {
    return fc.oneof(...type.map((one: Json) => madeOf(making, { ...schema, type: one }, field)))
  }
  switch (type) {
    case undefined:
      return anyJson()
    case 'string':
      return stringOf(schema)
    case 'integer':
      return fc.integer({
        min: numberAt(schema, 'minimum', 0),
        max: numberAt(schema, 'maximum', 1e6),
      })
    case 'number':
      return amountOf(schema)
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return arrayOf(making, schema)
    case 'object':
      return objectOf(making, schema)
    default:
      throw new Error(`no arbitrary for the type ${JSON.stringify(type)}`)
  }
}

/** Whole micro-units: finer amounts are refused by no schema, and must be. */
function amountOf(schema: JsonObject): fc.Arbitrary<Json> {
  const units = { min: numberAt(schema, 'minimum', 0), max: numberAt(schema, 'maximum', 1e6) }
  return fc.oneof(
    fc.integer(units),
    fc.integer({ min: 1, max: 1_000_000_000 }).map((micro) => micro / 1_000_000),
  )
}

function stringOf(schema: JsonObject): fc.Arbitrary<string> {
  const minLength = numberAt(schema, 'minLength', 0)
  const maxLength = Math.min(CHARS_MAX, numberAt(schema, 'maxLength', CHARS_MAX))
  const patterns = [schema, ...(Array.isArray(schema['allOf']) ? schema['allOf'] : [])].flatMap(
    (one: Json) =>
      isJsonObject(one) && typeof one['pattern'] === 'string'
        ? [new RegExp(one['pattern'], 'u')]
        : [],
  )
  const fits = (text: string) => {
    const chars = [...text].length
    // Doors refuse what readers do not see, and no pattern of a schema says which characters these are.
    const isSeen = explainHiddenText(text, { lines: true }) === undefined
    return (
      isSeen && chars >= minLength && chars <= maxLength && patterns.every((one) => one.test(text))
    )
  }
  const [first] = patterns
  const free = fc.string({ unit: 'binary', minLength, maxLength: Math.min(40, maxLength) })
  const anything = fc.oneof(free, fc.string({ minLength, maxLength })).filter(fits)
  // Property escapes are more than fast-check makes texts of.
  if (first === undefined || /\\P\{|\[\^/.test(first.source)) return anything
  return fc.stringMatching(first).filter(fits)
}

function arrayOf(making: ArbitraryOptions, schema: JsonObject): fc.Arbitrary<Json> {
  const maxLength = Math.min(ITEMS_MAX, numberAt(schema, 'maxItems', ITEMS_MAX))
  const minLength = numberAt(schema, 'minItems', 0)
  return fc.array(arbitraryOf(making, schema['items'] ?? null), { minLength, maxLength })
}

function objectOf(making: ArbitraryOptions, schema: JsonObject): fc.Arbitrary<Json> {
  const properties = objectAt(schema, 'properties')
  const names = Object.keys(properties)
  const others = schema['additionalProperties']
  if (names.length === 0 && others !== false) {
    const text = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 12 })
    // No body may have this name, whatever its schema.
    const key = text.filter((name) => name !== '__proto__')
    return fc.dictionary(key, arbitraryOf(making, others ?? null), { maxKeys: ITEMS_MAX })
  }
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  const model = Object.fromEntries(
    names.map((name) => [name, arbitraryOf(making, properties[name] ?? null, name)]),
  )
  const requiredKeys = names.filter((name) => required.includes(name))
  const made: fc.Arbitrary<JsonObject> = fc.record(model, { requiredKeys })
  return made.filter((one) => Object.keys(one).length >= numberAt(schema, 'minProperties', 0))
}

function numberAt(schema: JsonObject, name: string, otherwise: number): number {
  const value = schema[name]
  return typeof value === 'number' ? value : otherwise
}

/**
 * A schema as the properties of one object, where it is one: plain, or plain objects joined by `allOf`
 * at the root, which model APIs dislike. Other roots stay whole, as one argument.
 */
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { countOf, listOf, objectOf, textsOf } from './fields.ts'
import { resolved } from './references.ts'
import { spendOn } from './work-budget.ts'

export type FlatObject = {
  readonly properties: JsonObject
  readonly required: readonly string[]
  /** Whether members beside the properties are allowed by name or by a schema. */
  readonly isOpen: boolean
}

/** Nested `allOf` of the largest known documents is three deep. */
const LEVELS_MAX = 8
const ALTERNATIVES = ['oneOf', 'anyOf', 'not', 'if', 'patternProperties', 'dependentSchemas']

export function flatObjectOf(
  document: JsonObject,
  value: Json | undefined,
  level = 0,
): FlatObject | undefined {
  const schema = resolved(document, value)
  if (schema === undefined || level > LEVELS_MAX) return undefined
  const ofLevel = knownAt(document, level)
  if (!ofLevel.has(schema)) ofLevel.set(schema, flattened(document, schema, level))
  return ofLevel.get(schema)
}

type Known = WeakMap<JsonObject, FlatObject | undefined>

/**
 * By document, level and schema: many operations refer to the same schema, and lists of references to lists of
 * references would be read as often as there are ways through them.
 */
const known = new WeakMap<JsonObject, Known[]>()

function knownAt(document: JsonObject, level: number): Known {
  const levels = known.get(document) ?? []
  known.set(document, levels)
  const found = levels[level] ?? new WeakMap()
  levels[level] = found
  return found
}

function flattened(
  document: JsonObject,
  schema: JsonObject,
  level: number,
): FlatObject | undefined {
  if (ALTERNATIVES.some((keyword) => Object.hasOwn(schema, keyword))) return undefined
  const { type } = schema
  if (type !== undefined && type !== 'object' && !listOf(type).includes('object')) return undefined
  const parts = listOf(schema['allOf']).map((part) => flatObjectOf(document, part, level + 1))
  if (parts.includes(undefined)) return undefined
  const joined = parts.filter((part) => part !== undefined)
  const all = [...joined.map((part) => part.properties), objectOf(schema['properties'])]
  spendOn(
    document,
    all.reduce((sum, one) => sum + countOf(one), 0),
  )
  const { additionalProperties } = schema
  const properties: JsonObject = Object.assign({}, ...all)
  if (type === undefined && joined.length === 0 && countOf(properties) === 0) return undefined
  return {
    properties,
    required: [
      ...new Set([...joined.flatMap((part) => part.required), ...textsOf(schema['required'])]),
    ],
    isOpen:
      additionalProperties === true ||
      (isJsonObject(additionalProperties) && Object.keys(additionalProperties).length > 0) ||
      joined.some((part) => part.isOpen),
  }
}

/** Types that a value of the schema may have, as far as the schema names them directly. */
export function typesOf(document: JsonObject, value: Json | undefined): readonly string[] {
  const schema = resolved(document, value)
  if (schema === undefined) return []
  const { type } = schema
  if (typeof type === 'string') return [type]
  if (Array.isArray(type)) return textsOf(type)
  if (isJsonObject(schema['properties'])) return ['object']
  if (schema['items'] !== undefined) return ['array']
  return [...listOf(schema['allOf']), ...listOf(schema['anyOf']), ...listOf(schema['oneOf'])]
    .filter(isJsonObject)
    .filter((inner) => inner['$ref'] === undefined || inner['$ref'] !== objectOf(value)['$ref'])
    .flatMap((inner) => shallowTypes(resolved(document, inner)))
}

function shallowTypes(schema: JsonObject | undefined): readonly string[] {
  if (schema === undefined) return []
  const { type } = schema
  if (typeof type === 'string') return [type]
  if (Array.isArray(type)) return textsOf(type)
  return isJsonObject(schema['properties']) ? ['object'] : []
}

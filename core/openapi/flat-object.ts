/**
 * A schema as the properties of one object, where it is one: plain, or plain objects joined by `allOf`
 * at the root, which model APIs dislike. Other roots stay whole, as one argument.
 */
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { countOf, listOf, objectOf, textsOf } from './fields.ts'
import { resolved } from './references.ts'
import { discriminatorOf } from './subtypes.ts'
import { spendOn, spentText } from './work-budget.ts'

export type FlatObject = {
  readonly properties: JsonObject
  readonly required: readonly string[]
  /** Whether members beside the properties are allowed by name or by a schema. */
  readonly isOpen: boolean
  /** Keywords of the root that single arguments cannot have. */
  readonly lost: readonly string[]
}

/** Nested `allOf` of the largest known documents is three deep. */
const LEVELS_MAX = 8
/** Keywords that arguments carry, or that say nothing else than they do. */
const CARRIED = new Set(
  'type properties required allOf additionalProperties discriminator nullable x-nullable $defs definitions'.split(
    ' ',
  ),
)
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
  if (!mayBeFlat(schema)) return undefined
  // A part of allOf is what the schema extends, not one of the schemas that extend the part.
  const discriminator = level === 0 ? discriminatorOf(document, schema) : undefined
  if (discriminator !== undefined && discriminator.subtypes.length > 0) return undefined
  const all = listOf(schema['allOf']).map((part) => flatObjectOf(document, part, level + 1))
  if (all.includes(undefined)) return undefined
  const parts = all.filter((part) => part !== undefined)
  for (const { lost, properties, required } of parts) {
    spendOn(document, countOf(properties) + required.length + lost.length)
  }
  const own = objectOf(schema['properties'])
  spendOn(document, countOf(schema) + countOf(own) + listOf(schema['required']).length)
  const required = [
    ...new Set([...parts.flatMap((part) => part.required), ...textsOf(schema['required'])]),
  ]
  const properties = joined(document, [...parts.map((part) => part.properties), own], required)
  const hasHint = schema['type'] !== undefined || parts.length > 0 || countOf(properties) > 0
  if (!hasHint) return undefined
  const opened = openedBy(schema, discriminator !== undefined)
  const lost = [
    ...Object.keys(schema).filter((keyword) => !CARRIED.has(keyword)),
    ...[opened ?? ''].filter((one) => one !== ''),
    ...parts.flatMap((part) => part.lost),
  ]
  return {
    properties,
    required,
    isOpen: opened !== undefined || parts.some((part) => part.isOpen),
    lost: [...new Set(lost)],
  }
}

function mayBeFlat(schema: JsonObject): boolean {
  if (ALTERNATIVES.some((keyword) => Object.hasOwn(schema, keyword))) return false
  const { type } = schema
  return type === undefined || type === 'object' || listOf(type).includes('object')
}

/** What lets other members in, as far as it is lost; '' for a plain `true`, undefined for none. */
function openedBy(
  { additionalProperties }: JsonObject,
  isDiscriminated: boolean,
): string | undefined {
  const isMap = isJsonObject(additionalProperties) && Object.keys(additionalProperties).length > 0
  if (isMap) return 'the schema of additionalProperties'
  if (isDiscriminated) return 'discriminator, which leads to no schema'
  return additionalProperties === true ? '' : undefined
}

/** A property that several parts have takes what all of them take, and one that is only required takes anything. */
function joined(
  document: JsonObject,
  parts: readonly JsonObject[],
  required: readonly string[],
): JsonObject {
  const all = new Map<string, Set<Json>>()
  for (const [name, schema] of parts.flatMap((part) => Object.entries(part))) {
    const before = all.get(name)
    if (before === undefined) all.set(name, new Set([schema]))
    else before.add(schema)
  }
  const properties = [...all].map(([name, schemas]): [string, Json] => {
    const [first = {}, ...others] = schemas.size === 1 ? schemas : unlike(document, schemas)
    return [name, others.length === 0 ? first : { allOf: [first, ...others] }]
  })
  const others = all.size === 0 ? [] : required.filter((name) => !all.has(name))
  return Object.fromEntries([...properties, ...others.map((name): [string, Json] => [name, {}])])
}

/** Those that are written differently. */
function unlike(document: JsonObject, schemas: Iterable<Json>): readonly Json[] {
  const byText = new Map<string, Json>()
  for (const schema of schemas) {
    const text = spentText(document, schema)
    if (!byText.has(text)) byText.set(text, schema)
  }
  return [...byText.values()]
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

/**
 * Flattens a schema to the properties of one object, if it is a plain object or an `allOf` of plain
 * objects. (Model APIs dislike `allOf` at the root.) Any other schema becomes one argument.
 */
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { asList, asObject, asTexts, countMembers } from './fields.ts'
import { resolveObject } from './references.ts'
import { findDiscriminator } from './subtypes.ts'
import { spendDocumentSteps, writeComparedText } from './work-budget.ts'

export type FlatObject = {
  readonly properties: JsonObject
  readonly required: readonly string[]
  /** True if the schema allows members that are not in its properties. */
  readonly isOpen: boolean
  /** Keywords of the root that separate arguments cannot have. */
  readonly lost: readonly string[]
}

/** Nested `allOf`. The largest known documents have three levels. */
const LEVELS_MAX = 8
/** Keywords that the arguments express. */
const EXPRESSED = new Set(
  'type properties required allOf additionalProperties discriminator nullable x-nullable $defs definitions'.split(
    ' ',
  ),
)
const ALTERNATIVES = ['oneOf', 'anyOf', 'not', 'if', 'patternProperties', 'dependentSchemas']

/** Returns undefined for a schema that cannot be flattened. */
export function flattenObject(
  document: JsonObject,
  value: Json | undefined,
  level = 0,
): FlatObject | undefined {
  const schema = resolveObject(document, value)
  if (schema === undefined || level > LEVELS_MAX) return undefined
  const ofLevel = findCache(document, level)
  if (!ofLevel.has(schema)) ofLevel.set(schema, flatten(document, schema, level))
  return ofLevel.get(schema)
}

type LevelCache = WeakMap<JsonObject, FlatObject | undefined>

/**
 * Results by document, level and schema. Many operations refer to the same schema, and nested lists
 * of references would be read once for each path through them.
 */
const caches = new WeakMap<JsonObject, LevelCache[]>()

function findCache(document: JsonObject, level: number): LevelCache {
  const levels = caches.get(document) ?? []
  caches.set(document, levels)
  const found = levels[level] ?? new WeakMap()
  levels[level] = found
  return found
}

function flatten(document: JsonObject, schema: JsonObject, level: number): FlatObject | undefined {
  if (!mayBeFlat(schema)) return undefined
  // In allOf, a part is a base schema: the subtypes of its own discriminator do not matter.
  const discriminator = level === 0 ? findDiscriminator(document, schema) : undefined
  if (discriminator !== undefined && discriminator.subtypes.length > 0) return undefined
  const all = asList(schema['allOf']).map((part) => flattenObject(document, part, level + 1))
  if (all.includes(undefined)) return undefined
  const parts = all.filter((part) => part !== undefined)
  for (const { lost, properties, required } of parts) {
    spendDocumentSteps(document, countMembers(properties) + required.length + lost.length)
  }
  const own = asObject(schema['properties'])
  spendDocumentSteps(
    document,
    countMembers(schema) + countMembers(own) + asList(schema['required']).length,
  )
  const required = [
    ...new Set([...parts.flatMap((part) => part.required), ...asTexts(schema['required'])]),
  ]
  const properties = joinProperties(
    document,
    [...parts.map((part) => part.properties), own],
    required,
  )
  const hasHint = schema['type'] !== undefined || parts.length > 0 || countMembers(properties) > 0
  if (!hasHint) return undefined
  const opened = findOpening(schema, discriminator !== undefined)
  const lost = [
    ...Object.keys(schema).filter((keyword) => !EXPRESSED.has(keyword)),
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
  return type === undefined || type === 'object' || asList(type).includes('object')
}

/**
 * Names the keyword that allows other members, if the arguments lose it. Returns '' for a plain
 * `true`, and undefined if no other members are allowed.
 */
function findOpening(
  { additionalProperties }: JsonObject,
  isDiscriminated: boolean,
): string | undefined {
  const isMap = isJsonObject(additionalProperties) && Object.keys(additionalProperties).length > 0
  if (isMap) return 'the schema of additionalProperties'
  if (isDiscriminated) return 'discriminator, which leads to no schema'
  return additionalProperties === true ? '' : undefined
}

/**
 * A property of several parts must fit all of them. A property that is only required is any value.
 */
function joinProperties(
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
    const [first = {}, ...others] = schemas.size === 1 ? schemas : withoutEqual(document, schemas)
    return [name, others.length === 0 ? first : { allOf: [first, ...others] }]
  })
  const others = all.size === 0 ? [] : required.filter((name) => !all.has(name))
  return Object.fromEntries([...properties, ...others.map((name): [string, Json] => [name, {}])])
}

/** Returns the schemas with different JSON texts. */
function withoutEqual(document: JsonObject, schemas: Iterable<Json>): readonly Json[] {
  const byText = new Map<string, Json>()
  for (const schema of schemas) {
    const text = writeComparedText(document, schema)
    if (!byText.has(text)) byText.set(text, schema)
  }
  return [...byText.values()]
}

/** Returns the types that the schema names directly or in its direct alternatives. */
export function listTypes(document: JsonObject, value: Json | undefined): readonly string[] {
  const schema = resolveObject(document, value)
  if (schema === undefined) return []
  const { type } = schema
  if (typeof type === 'string') return [type]
  if (Array.isArray(type)) return asTexts(type)
  if (isJsonObject(schema['properties'])) return ['object']
  if (schema['items'] !== undefined) return ['array']
  return [...asList(schema['allOf']), ...asList(schema['anyOf']), ...asList(schema['oneOf'])]
    .filter(isJsonObject)
    .filter((inner) => inner['$ref'] === undefined || inner['$ref'] !== asObject(value)['$ref'])
    .flatMap((inner) => listOwnTypes(resolveObject(document, inner)))
}

function listOwnTypes(schema: JsonObject | undefined): readonly string[] {
  if (schema === undefined) return []
  const { type } = schema
  if (typeof type === 'string') return [type]
  if (Array.isArray(type)) return asTexts(type)
  return isJsonObject(schema['properties']) ? ['object'] : []
}

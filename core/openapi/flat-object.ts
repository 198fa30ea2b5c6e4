/**
 * A schema as the properties of one object, where it is one: plain, or plain objects joined by `allOf`
 * at the root, which model APIs dislike. Other roots stay whole, as one argument.
 */
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { listOf, objectOf, textsOf } from './fields.ts'
import { resolved } from './references.ts'
import { discriminatorOf } from './subtypes.ts'

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
  if (schema === undefined || level > LEVELS_MAX || !mayBeFlat(schema)) return undefined
  // A part of allOf is what the schema extends, not one of the schemas that extend the part.
  const discriminator = level === 0 ? discriminatorOf(document, schema) : undefined
  if (discriminator !== undefined && discriminator.subtypes.length > 0) return undefined
  const parts = listOf(schema['allOf']).map((part) => flatObjectOf(document, part, level + 1))
  if (parts.includes(undefined)) return undefined
  const known = parts.filter((part) => part !== undefined)
  const required = [
    ...new Set([...known.flatMap((part) => part.required), ...textsOf(schema['required'])]),
  ]
  const properties = joined(
    [...known.map((part) => part.properties), objectOf(schema['properties'])],
    required,
  )
  const hints = [schema['type'], ...known, ...Object.keys(properties)]
  if (hints.every((hint) => hint === undefined)) return undefined
  const opened = openedBy(schema, discriminator !== undefined)
  return {
    properties,
    required,
    isOpen: opened !== undefined || known.some((part) => part.isOpen),
    lost: [
      ...Object.keys(schema).filter((keyword) => !CARRIED.has(keyword)),
      ...[opened ?? ''].filter((one) => one !== ''),
      ...known.flatMap((part) => part.lost),
    ],
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
function joined(parts: readonly JsonObject[], required: readonly string[]): JsonObject {
  const all = new Map<string, Json[]>()
  for (const [name, schema] of parts.flatMap((part) => Object.entries(part))) {
    const before = all.get(name) ?? []
    const isKnown = before.some((one) => JSON.stringify(one) === JSON.stringify(schema))
    if (!isKnown) all.set(name, [...before, schema])
  }
  const properties = [...all].map(([name, schemas]): [string, Json] => [
    name,
    schemas.length === 1 ? (schemas[0] ?? {}) : { allOf: schemas },
  ])
  const others = all.size === 0 ? [] : required.filter((name) => !all.has(name))
  return Object.fromEntries([...properties, ...others.map((name): [string, Json] => [name, {}])])
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

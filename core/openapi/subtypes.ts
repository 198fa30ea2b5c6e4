/**
 * Schemas that a discriminator leads to: those of its mapping, and those that extend its schema by `allOf`, each by
 * the value that names it. OpenAPI 3.1, Discriminator Object; 2.0 has the name of the property alone.
 */
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { listOf, objectOf, textOf } from './fields.ts'
import { resolved } from './references.ts'
import { spendOn } from './work-budget.ts'

export type Subtype = { readonly value: string; readonly reference: string }

export type Discriminator = { readonly property: string; readonly subtypes: readonly Subtype[] }

/** By document: many operations refer to the same schema. */
const known = new WeakMap<JsonObject, WeakMap<JsonObject, Discriminator | undefined>>()

/** Undefined for a schema without one. A schema that lists its alternatives itself has no subtypes. */
export function discriminatorOf(
  document: JsonObject,
  schema: JsonObject,
): Discriminator | undefined {
  if (schema['discriminator'] === undefined) return undefined
  const ofDocument = known.get(document) ?? new WeakMap()
  known.set(document, ofDocument)
  if (!ofDocument.has(schema)) ofDocument.set(schema, readDiscriminator(document, schema))
  return ofDocument.get(schema)
}

function readDiscriminator(document: JsonObject, schema: JsonObject): Discriminator | undefined {
  const { discriminator } = schema
  const property = textOf(discriminator) ?? textOf(objectOf(discriminator)['propertyName'])
  if (property === undefined) return undefined
  if (schema['oneOf'] !== undefined || schema['anyOf'] !== undefined) {
    return { property, subtypes: [] }
  }
  const mapped = Object.entries(objectOf(objectOf(discriminator)['mapping'])).flatMap(
    ([value, target]) => mappedTo(document, value, target),
  )
  const named = new Set(mapped.map(({ reference }) => resolved(document, { $ref: reference })))
  // A mapping says of the schema itself whether it is one of its own alternatives.
  if (mapped.length > 0) named.add(schema)
  const extending = extendingOf(document, schema).filter(
    ({ reference }) => !named.has(resolved(document, { $ref: reference })),
  )
  return { property, subtypes: [...mapped, ...extending] }
}

/** Neither the schema nor another one says what the values of the discriminator mean. */
export function leadsNowhere(schema: JsonObject, { subtypes }: Discriminator): boolean {
  return subtypes.length === 0 && schema['oneOf'] === undefined && schema['anyOf'] === undefined
}

/** A target is a reference, or the name of a schema. */
function mappedTo(document: JsonObject, value: string, target: Json): readonly Subtype[] {
  const text = textOf(target)
  if (text === undefined) return []
  const references = text.startsWith('#') ? [text] : PLACES.map((place) => `${place}${text}`)
  const reference = references.find((one) => resolved(document, { $ref: one }) !== undefined)
  return reference === undefined ? [] : [{ value, reference }]
}

const PLACES = ['#/components/schemas/', '#/definitions/']

/** Those that extend it, directly or by others; where there are any, the schema itself as well. */
function extendingOf(document: JsonObject, schema: JsonObject): readonly Subtype[] {
  const index = indexOf(document)
  const found = new Map<JsonObject, Subtype>()
  const left: NamedSchema[] = []
  const addChildren = (parent: JsonObject) => {
    const children = index.children.get(parent) ?? []
    spendOn(document, STEPS_PER_SUBTYPE * children.length)
    for (const child of children) left.push(child)
  }
  addChildren(schema)
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (found.has(next.schema) || next.schema === schema) continue
    found.set(next.schema, next)
    addChildren(next.schema)
  }
  if (found.size === 0) return []
  const own = index.named.get(schema)
  const all = [...(own === undefined ? [] : [own]), ...found.values()]
  return all.sort((a, b) => (a.value < b.value ? -1 : 1))
}

/** To find, sort and keep one costs more than to visit a value. */
const STEPS_PER_SUBTYPE = 16

type NamedSchema = Subtype & { readonly schema: JsonObject }
type Index = {
  readonly named: ReadonlyMap<JsonObject, NamedSchema>
  /** By the schema that they extend. */
  readonly children: ReadonlyMap<JsonObject, readonly NamedSchema[]>
}

/** Made once for each document. Keyed weakly. */
const indexes = new WeakMap<JsonObject, Index>()

function indexOf(document: JsonObject): Index {
  const found = indexes.get(document)
  if (found !== undefined) return found
  const all = namedSchemas(document)
  const children = new Map<JsonObject, NamedSchema[]>()
  for (const one of all) {
    for (const parent of parentsOf(document, one.schema)) {
      const before = children.get(parent)
      if (before === undefined) children.set(parent, [one])
      else before.push(one)
    }
  }
  const index = { named: new Map(all.map((one) => [one.schema, one])), children }
  indexes.set(document, index)
  return index
}

/** The schemas that it extends by reference. */
function parentsOf(document: JsonObject, schema: JsonObject): readonly JsonObject[] {
  return listOf(schema['allOf'])
    .filter((part) => objectOf(part)['$ref'] !== undefined)
    .map((part) => resolved(document, part))
    .filter((parent) => parent !== undefined)
}

function namedSchemas(document: JsonObject): readonly NamedSchema[] {
  const places: readonly (readonly [start: string, schemas: JsonObject])[] = [
    ['#/components/schemas/', objectOf(objectOf(document['components'])['schemas'])],
    ['#/definitions/', objectOf(document['definitions'])],
  ]
  return places.flatMap(([start, schemas]) =>
    Object.entries(schemas).flatMap(([value, schema]) =>
      isJsonObject(schema) ? [{ value, schema, reference: `${start}${pointerPart(value)}` }] : [],
    ),
  )
}

function pointerPart(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))
}

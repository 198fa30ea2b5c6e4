/**
 * Finds the subtypes of a discriminator, each with the value that names it: the schemas of its
 * mapping, and the schemas that extend its schema by `allOf`. OpenAPI 3.1, Discriminator Object; in
 * 2.0, a discriminator is only the name of the property.
 */
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { asList, asObject, asText } from './fields.ts'
import { resolveObject } from './references.ts'
import { spendDocumentSteps } from './work-budget.ts'

export type Subtype = { readonly value: string; readonly reference: string }

export type Discriminator = { readonly property: string; readonly subtypes: readonly Subtype[] }

/** Results by document and schema: many operations refer to the same schema. */
const cache = new WeakMap<JsonObject, WeakMap<JsonObject, Discriminator | undefined>>()

/**
 * Returns undefined without a discriminator. A schema with its own alternatives has no subtypes.
 */
export function findDiscriminator(
  document: JsonObject,
  schema: JsonObject,
): Discriminator | undefined {
  if (schema['discriminator'] === undefined) return undefined
  const ofDocument = cache.get(document) ?? new WeakMap()
  cache.set(document, ofDocument)
  if (!ofDocument.has(schema)) ofDocument.set(schema, readDiscriminator(document, schema))
  return ofDocument.get(schema)
}

function readDiscriminator(document: JsonObject, schema: JsonObject): Discriminator | undefined {
  const { discriminator } = schema
  const property = asText(discriminator) ?? asText(asObject(discriminator)['propertyName'])
  if (property === undefined) return undefined
  if (schema['oneOf'] !== undefined || schema['anyOf'] !== undefined) {
    return { property, subtypes: [] }
  }
  const mapped = Object.entries(asObject(asObject(discriminator)['mapping'])).flatMap(
    ([value, target]) => findMapped(document, value, target),
  )
  const named = new Set(mapped.map(({ reference }) => resolveObject(document, { $ref: reference })))
  // With a mapping, the schema itself is an alternative only if the mapping names it.
  if (mapped.length > 0) named.add(schema)
  const extending = findExtending(document, schema).filter(
    ({ reference }) => !named.has(resolveObject(document, { $ref: reference })),
  )
  return { property, subtypes: [...mapped, ...extending] }
}

/** True if no schema says what the values of the discriminator mean. */
export function hasNoSubtypes(schema: JsonObject, { subtypes }: Discriminator): boolean {
  return subtypes.length === 0 && schema['oneOf'] === undefined && schema['anyOf'] === undefined
}

/** Finds the schema of a mapping's target, which is a reference or the name of a schema. */
function findMapped(document: JsonObject, value: string, target: Json): readonly Subtype[] {
  const text = asText(target)
  if (text === undefined) return []
  const references = text.startsWith('#') ? [text] : PLACES.map((place) => `${place}${text}`)
  const reference = references.find((one) => resolveObject(document, { $ref: one }) !== undefined)
  return reference === undefined ? [] : [{ value, reference }]
}

const PLACES = ['#/components/schemas/', '#/definitions/']

/** Returns all schemas that extend a schema, directly or indirectly, and then the schema, too. */
function findExtending(document: JsonObject, schema: JsonObject): readonly Subtype[] {
  const index = findIndex(document)
  const found = new Map<JsonObject, Subtype>()
  const left: NamedSchema[] = []
  const addChildren = (parent: JsonObject) => {
    const children = index.children.get(parent) ?? []
    spendDocumentSteps(document, STEPS_PER_SUBTYPE * children.length)
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

/** A subtype is found, sorted and stored, which costs more than a visited value. */
const STEPS_PER_SUBTYPE = 16

type NamedSchema = Subtype & { readonly schema: JsonObject }
type Index = {
  readonly named: ReadonlyMap<JsonObject, NamedSchema>
  /** Extending schemas by the schema that they extend. */
  readonly children: ReadonlyMap<JsonObject, readonly NamedSchema[]>
}

/** One index for each document. The keys are weak. */
const indexes = new WeakMap<JsonObject, Index>()

function findIndex(document: JsonObject): Index {
  const found = indexes.get(document)
  if (found !== undefined) return found
  const all = listNamedSchemas(document)
  const children = new Map<JsonObject, NamedSchema[]>()
  for (const one of all) {
    for (const parent of listParents(document, one.schema)) {
      const before = children.get(parent)
      if (before === undefined) children.set(parent, [one])
      else before.push(one)
    }
  }
  const index = { named: new Map(all.map((one) => [one.schema, one])), children }
  indexes.set(document, index)
  return index
}

/** Returns the schemas that a schema extends by reference. */
function listParents(document: JsonObject, schema: JsonObject): readonly JsonObject[] {
  return asList(schema['allOf'])
    .filter((part) => asObject(part)['$ref'] !== undefined)
    .map((part) => resolveObject(document, part))
    .filter((parent) => parent !== undefined)
}

function listNamedSchemas(document: JsonObject): readonly NamedSchema[] {
  const places: readonly (readonly [start: string, schemas: JsonObject])[] = [
    ['#/components/schemas/', asObject(asObject(document['components'])['schemas'])],
    ['#/definitions/', asObject(document['definitions'])],
  ]
  return places.flatMap(([start, schemas]) =>
    Object.entries(schemas).flatMap(([value, schema]) =>
      isJsonObject(schema) ? [{ value, schema, reference: `${start}${toPointerPart(value)}` }] : [],
    ),
  )
}

function toPointerPart(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))
}

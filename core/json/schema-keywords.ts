/**
 * The keywords of JSON Schema, drafts 7 to 2020-12: the kind of each keyword's value, and where the
 * value contains schemas. All code that walks schemas uses this table. A keyword that is not in the
 * table is unknown; it is treated as an annotation.
 */
import { isJsonObject, type Json, type JsonObject } from './json.ts'

export type ValueKind =
  | 'schema'
  /** One schema. Older drafts also allow a list of schemas. */
  | 'schemaOrSchemas'
  | 'schemas'
  | 'schemaMap'
  /** Schemas by name; each name is a regular expression. */
  | 'patternMap'
  /** Schemas or lists of names, by name. */
  | 'dependencies'
  | 'namesByName'
  | 'ref'
  | 'pattern'
  | 'type'
  | 'names'
  | 'choices'
  | 'text'
  | 'flag'
  /** `true` is its only value. */
  | 'truth'
  | 'number'
  | 'divisor'
  | 'count'
  /** The name of the whole document. */
  | 'id'
  /** The name of one schema in the document. */
  | 'anchor'
  /** Any JSON; it contains no schemas. */
  | 'data'
  /** A reference whose target depends on the evaluation path. */
  | 'dynamic'
  /** A keyword of other dialects, or one that not all clients support. */
  | 'dialect'

const KINDS: { readonly [kind in ValueKind]: string } = {
  schema:
    'additionalItems additionalProperties contains else if not propertyNames then ' +
    'unevaluatedItems unevaluatedProperties',
  schemaOrSchemas: 'items',
  schemas: 'allOf anyOf oneOf prefixItems',
  schemaMap: '$defs definitions dependentSchemas properties',
  patternMap: 'patternProperties',
  dependencies: 'dependencies',
  namesByName: 'dependentRequired',
  ref: '$ref',
  pattern: 'pattern',
  type: 'type',
  names: 'required',
  choices: 'enum',
  text: '$comment $schema description format title',
  flag: 'uniqueItems',
  truth: 'nullable',
  number: 'exclusiveMaximum exclusiveMinimum maximum minimum',
  divisor: 'multipleOf',
  count:
    'maxContains maxItems maxLength maxProperties minContains minItems minLength minProperties',
  id: '$id',
  anchor: '$anchor',
  data: 'const default',
  dynamic: '$dynamicAnchor $dynamicRef $recursiveAnchor $recursiveRef',
  dialect:
    '$async $data formatExclusiveMaximum formatExclusiveMinimum formatMaximum formatMinimum id',
}

/** Keywords whose schemas apply to the same value as the schema around them. */
const IN_PLACE: ReadonlySet<string> = new Set(
  'allOf anyOf oneOf not if then else dependentSchemas dependencies'.split(' '),
)

const KEYWORDS: ReadonlyMap<string, ValueKind> = new Map(
  Object.entries(KINDS).flatMap(([kind, names]) =>
    names.split(' ').map((name) => [name, kind as ValueKind] as const),
  ),
)

/** Returns undefined for an unknown keyword. */
export function findValueKind(keyword: string): ValueKind | undefined {
  return KEYWORDS.get(keyword)
}

export function isInPlace(keyword: string): boolean {
  return IN_PLACE.has(keyword)
}

type InnerSchema = readonly [path: readonly (string | number)[], schema: Json]

/** Returns the schemas in a keyword's value, each with its path from the keyword. */
export function listInnerSchemas(keyword: string, value: Json): readonly InnerSchema[] {
  switch (KEYWORDS.get(keyword)) {
    case 'schema':
      return [[[], value]]
    case 'schemaOrSchemas':
      return Array.isArray(value) ? listItems(value) : [[[], value]]
    case 'schemas':
      return Array.isArray(value) ? listItems(value) : []
    case 'schemaMap':
    case 'patternMap':
      return isJsonObject(value) ? listMembers(value) : []
    case 'dependencies':
      return isJsonObject(value) ? listMembers(value).filter(([, one]) => !Array.isArray(one)) : []
    default:
      return []
  }
}

/** Applies `change` to each schema in a keyword's value. Returns the same value if none changed. */
export function mapInnerSchemas(
  keyword: string,
  value: Json,
  change: (schema: Json) => Json,
): Json {
  const changed = listInnerSchemas(keyword, value).map(
    ([path, one]) => [path[0], one, change(one)] as const,
  )
  if (changed.every(([, before, now]) => before === now)) return value
  const [whole] = changed
  if (whole !== undefined && whole[0] === undefined) return whole[2]
  const byKey = new Map(changed.map(([key, , now]) => [key, now]))
  if (Array.isArray(value)) return value.map((item: Json, index) => byKey.get(index) ?? item)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, byKey.get(name) ?? item]),
  )
}

function listItems(items: readonly Json[]): readonly InnerSchema[] {
  return items.map((item, index) => [[index], item])
}

function listMembers(members: JsonObject): readonly InnerSchema[] {
  return Object.entries(members).map(([name, member]) => [[name], member])
}

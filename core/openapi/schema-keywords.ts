/**
 * The schema keywords that tools keep, and the kinds of their values. Other keywords of a document
 * (xml, examples, discriminators) and values of a wrong kind are left out.
 */
import { isJsonObject, type Json } from '../json/json.ts'

export type KeywordKind = 'schema' | 'schemas' | 'map' | 'value'

/** Keywords whose values contain schemas, and in which form. */
export const SCHEMA_HOLDERS: { readonly [keyword: string]: KeywordKind } = {
  items: 'schema',
  additionalProperties: 'schema',
  not: 'schema',
  if: 'schema',
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema, never awaited.
  then: 'schema',
  else: 'schema',
  contains: 'schema',
  propertyNames: 'schema',
  unevaluatedProperties: 'schema',
  unevaluatedItems: 'schema',
  allOf: 'schemas',
  anyOf: 'schemas',
  oneOf: 'schemas',
  prefixItems: 'schemas',
  properties: 'map',
  patternProperties: 'map',
  dependentSchemas: 'map',
}

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'])
const isCount = (value: Json) => typeof value === 'number' && Number.isInteger(value) && value >= 0
const isNumber = (value: Json) => typeof value === 'number'
const isText = (value: Json) => typeof value === 'string'
const isFlag = (value: Json) => typeof value === 'boolean'
const isType = (value: Json) => typeof value === 'string' && TYPES.has(value)

/** Checks of the values of other keywords. */
export const PLAIN_KEYWORDS: { readonly [keyword: string]: (value: Json) => boolean } = {
  type: (value) =>
    isType(value) || (Array.isArray(value) && value.length > 0 && value.every(isType)),
  enum: (value) => Array.isArray(value) && value.length > 0,
  const: () => true,
  format: isText,
  pattern: isText,
  minimum: isNumber,
  maximum: isNumber,
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
  multipleOf: (value) => typeof value === 'number' && value > 0,
  minLength: isCount,
  maxLength: isCount,
  minItems: isCount,
  maxItems: isCount,
  minContains: isCount,
  maxContains: isCount,
  minProperties: isCount,
  maxProperties: isCount,
  uniqueItems: isFlag,
  required: (value) => Array.isArray(value) && value.every(isText),
  dependentRequired: (value) =>
    isJsonObject(value) &&
    Object.values(value).every((names) => Array.isArray(names) && names.every(isText)),
  contentEncoding: isText,
  contentMediaType: isText,
}

/** Keywords that are expressed in another way. */
export const UNWRITTEN_KEYWORDS: ReadonlySet<string> = new Set([
  // Expressed by the description.
  'description',
  'default',
  'discriminator',
  // Expressed by `null` among the types, or by leaving a property out.
  'nullable',
  'x-nullable',
  'readOnly',
  'writeOnly',
  // Expressed by the tool's own definitions.
  '$ref',
  '$defs',
  'definitions',
])

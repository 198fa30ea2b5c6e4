/** What each JSON Schema keyword (2020-12) must look like; unknown ones are annotations and pass. */
import { isJsonObject, type Json } from '../../core/json/json.ts'
import { patternFault } from './pattern-fault.ts'

/** Keywords that hold one schema. */
export const SCHEMA_KEYWORDS: ReadonlySet<string> = new Set(
  (
    'additionalProperties items contains not if then else propertyNames unevaluatedItems ' +
    'unevaluatedProperties'
  ).split(' '),
)
/** Keywords that hold a list of schemas. */
export const LIST_KEYWORDS: ReadonlySet<string> = new Set([
  'allOf',
  'anyOf',
  'oneOf',
  'prefixItems',
])
/** Keywords that hold schemas by name. */
export const MAP_KEYWORDS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
])
/** Keywords whose schemas see the very value that the schema around them sees. */
export const IN_PLACE: ReadonlySet<string> = new Set(
  'allOf anyOf oneOf not if then else dependentSchemas'.split(' '),
)

type Shape = { readonly fits: (value: Json) => boolean; readonly message: string }

const TYPES: readonly Json[] = 'array boolean integer null number object string'.split(' ')
const TEXT: Shape = { fits: (value) => typeof value === 'string', message: 'must be a string' }
const NUMBER: Shape = { fits: (value) => typeof value === 'number', message: 'must be a number' }
const COUNT: Shape = { fits: isCount, message: 'must be a whole number from 0' }
const SHAPES: ReadonlyMap<string, Shape> = new Map([
  // Kept for clients; a `$ref` here leads by path, so no anchor is ever looked up.
  ['$anchor', { fits: isAnchor, message: 'must be a plain name; refer by "#/$defs/name"' }],
  ...named('$schema $id $comment title description format', TEXT),
  ...named('minimum maximum exclusiveMinimum exclusiveMaximum', NUMBER),
  ...named('minLength maxLength minItems maxItems minProperties maxProperties', COUNT),
  ...named('minContains maxContains', COUNT),
  ...named('type', {
    fits: isType,
    message: `must be one or several of ${TYPES.join(', ')}, each once`,
  }),
  ...named('required', {
    fits: isNames,
    message: 'must be an array of names, each once, beside properties; remove what is there twice',
  }),
  ...named('enum', { fits: isFilled, message: 'must be an array of at least one value' }),
  ...named('multipleOf', {
    fits: (value) => typeof value === 'number' && value > 0,
    message: 'must be a number above 0',
  }),
  ...named('uniqueItems', {
    fits: (value) => typeof value === 'boolean',
    message: 'must be true or false',
  }),
  ...named('dependentRequired', {
    fits: isNamesByName,
    message: 'must be an object of arrays of names, each once',
  }),
])
/** Refused because the validator does not know them, or does not know them safely. */
const REMEDIES: { readonly [keyword: string]: string } = {
  $dynamicRef: 'is not supported; use $ref',
  $dynamicAnchor: 'is not supported; use $defs',
  $recursiveRef: 'is not supported; use $ref',
  $recursiveAnchor: 'is not supported; use $ref',
  additionalItems: 'is of an older draft; use prefixItems and items',
  dependencies: 'is of an older draft; use dependentRequired or dependentSchemas',
}

/** What is wrong with the value of `keyword`, sub-schemas aside; undefined when nothing is. */
export function keywordFault(keyword: string, value: Json): string | undefined {
  const remedy = Object.hasOwn(REMEDIES, keyword) ? REMEDIES[keyword] : undefined
  if (remedy !== undefined) return remedy
  if (SCHEMA_KEYWORDS.has(keyword)) return schemaFault(value)
  if (LIST_KEYWORDS.has(keyword)) {
    return isFilled(value) ? undefined : 'must be an array of at least one schema'
  }
  if (MAP_KEYWORDS.has(keyword))
    return isJsonObject(value) ? undefined : 'must be an object of schemas'
  if (keyword === 'pattern') return patternFault(value)
  const shape = SHAPES.get(keyword)
  return shape === undefined || shape.fits(value) ? undefined : shape.message
}

export function schemaFault(value: Json): string | undefined {
  if (isJsonObject(value) || typeof value === 'boolean') return undefined
  return 'must be a schema: an object, true or false'
}

function named(keywords: string, shape: Shape): [string, Shape][] {
  return keywords.split(' ').map((keyword) => [keyword, shape])
}

function isType(value: Json): boolean {
  if (TYPES.includes(value)) return true
  return isFilled(value) && isUnique(value) && value.every((type) => TYPES.includes(type))
}

/** Section 8.2.2 of the standard; one with a slash would stand where the validator looks for a path. */
function isAnchor(value: Json): boolean {
  return typeof value === 'string' && /^[A-Za-z_][-A-Za-z0-9._]*$/.test(value)
}

function isCount(value: Json): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0
}

function isNames(value: Json): boolean {
  return Array.isArray(value) && isUnique(value) && value.every((name) => typeof name === 'string')
}

/** Of texts; the standard's own schema says so of names and types. */
function isUnique(values: readonly Json[]): boolean {
  return new Set(values).size === values.length
}

function isNamesByName(value: Json): boolean {
  return isJsonObject(value) && Object.values(value).every(isNames)
}

function isFilled(value: Json): value is readonly Json[] {
  return Array.isArray(value) && value.length > 0
}

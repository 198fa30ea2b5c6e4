/**
 * The form that the value of each JSON Schema keyword must have in a synced schema (2020-12).
 * Core's table of keywords also has those of older drafts. Unknown keywords are annotations and are
 * accepted.
 */
import { isJsonObject, type Json } from '../../core/json/json.ts'
import { findValueKind, type ValueKind } from '../../core/json/schema-keywords.ts'
import { findPatternError } from './pattern-error.ts'

type Shape = { readonly fits: (value: Json) => boolean; readonly message: string }

const TYPES: readonly Json[] = 'array boolean integer null number object string'.split(' ')
const SHAPES: { readonly [kind in ValueKind]?: Shape } = {
  // Kept for clients; a `$ref` is a path here, so the gateway uses no anchor.
  anchor: { fits: isAnchor, message: 'must be a plain name; refer by "#/$defs/name"' },
  text: { fits: isText, message: 'must be a string' },
  id: { fits: isText, message: 'must be a string' },
  number: { fits: (value) => typeof value === 'number', message: 'must be a number' },
  count: { fits: isCount, message: 'must be a whole number from 0' },
  type: { fits: isType, message: `must be one or several of ${TYPES.join(', ')}, each once` },
  names: {
    fits: isNames,
    message: 'must be an array of names, each once, beside properties; remove what is there twice',
  },
  choices: { fits: isFilled, message: 'must be an array of at least one value' },
  divisor: {
    fits: (value) => typeof value === 'number' && value > 0,
    message: 'must be a number above 0',
  },
  flag: { fits: (value) => typeof value === 'boolean', message: 'must be true or false' },
  namesByName: {
    fits: isNamesByName,
    message: 'must be an object of arrays of names, each once',
  },
  schemas: { fits: isFilled, message: 'must be an array of at least one schema' },
  schemaMap: { fits: isJsonObject, message: 'must be an object of schemas' },
  patternMap: { fits: isJsonObject, message: 'must be an object of schemas' },
}

/** Keywords that are refused because the validator does not support them safely. */
const REMEDIES: { readonly [keyword: string]: string } = {
  $dynamicRef: 'is not supported; use $ref',
  $dynamicAnchor: 'is not supported; use $defs',
  $recursiveRef: 'is not supported; use $ref',
  $recursiveAnchor: 'is not supported; use $ref',
  additionalItems: 'is of an older draft; use prefixItems and items',
  dependencies: 'is of an older draft; use dependentRequired or dependentSchemas',
}

/**
 * The error of a keyword's value, without errors of schemas in it; undefined if the value is valid.
 */
export function findKeywordError(keyword: string, value: Json): string | undefined {
  const remedy = Object.hasOwn(REMEDIES, keyword) ? REMEDIES[keyword] : undefined
  if (remedy !== undefined) return remedy
  const kind = findValueKind(keyword)
  if (kind === undefined) return undefined
  if (kind === 'schema' || kind === 'schemaOrSchemas') return findSchemaTypeError(value)
  if (kind === 'pattern') return findPatternError(value)
  const shape = SHAPES[kind]
  return shape === undefined || shape.fits(value) ? undefined : shape.message
}

/** The error of a value in place of a schema. */
export function findSchemaTypeError(value: Json): string | undefined {
  if (isJsonObject(value) || typeof value === 'boolean') return undefined
  return 'must be a schema: an object, true or false'
}

function isText(value: Json): boolean {
  return typeof value === 'string'
}

function isType(value: Json): boolean {
  if (TYPES.includes(value)) return true
  return isFilled(value) && isUnique(value) && value.every((type) => TYPES.includes(type))
}

/** Section 8.2.2 of the standard; the validator would read an anchor with a slash as a path. */
function isAnchor(value: Json): boolean {
  return typeof value === 'string' && /^[A-Za-z_][-A-Za-z0-9._]*$/.test(value)
}

function isCount(value: Json): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0
}

function isNames(value: Json): boolean {
  return Array.isArray(value) && isUnique(value) && value.every((name) => typeof name === 'string')
}

/** The standard's own schema requires this of names and types. */
function isUnique(values: readonly Json[]): boolean {
  return new Set(values).size === values.length
}

function isNamesByName(value: Json): boolean {
  return isJsonObject(value) && Object.values(value).every(isNames)
}

function isFilled(value: Json): value is readonly Json[] {
  return Array.isArray(value) && value.length > 0
}

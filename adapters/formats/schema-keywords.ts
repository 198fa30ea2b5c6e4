/**
 * The form that each JSON Schema keyword's value must have in a synced schema (2020-12). Narrower than core's
 * table of keywords, which also holds older drafts. Unknown keywords are annotations and pass.
 */
import { isJsonObject, type Json } from '../../core/json/json.ts'
import { type Kind, kindOf } from '../../core/json/schema-keywords.ts'
import { patternFault } from './pattern-fault.ts'

type Shape = { readonly fits: (value: Json) => boolean; readonly message: string }

const TYPES: readonly Json[] = 'array boolean integer null number object string'.split(' ')
const SHAPES: { readonly [kind in Kind]?: Shape } = {
  // Kept for clients; a `$ref` here leads by path, so no anchor is ever looked up.
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
  const kind = kindOf(keyword)
  if (kind === undefined) return undefined
  if (kind === 'schema' || kind === 'schemaOrSchemas') return schemaFault(value)
  if (kind === 'pattern') return patternFault(value)
  const shape = SHAPES[kind]
  return shape === undefined || shape.fits(value) ? undefined : shape.message
}

export function schemaFault(value: Json): string | undefined {
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

/** Compares texts. The standard's own schema demands it of names and types. */
function isUnique(values: readonly Json[]): boolean {
  return new Set(values).size === values.length
}

function isNamesByName(value: Json): boolean {
  return isJsonObject(value) && Object.values(value).every(isNames)
}

function isFilled(value: Json): value is readonly Json[] {
  return Array.isArray(value) && value.length > 0
}

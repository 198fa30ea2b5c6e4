/**
 * What the validator found, in words for whoever sent the arguments: the limit and what to send.
 * Never the value itself: faults are logged by clients and may hold what should not be there.
 */
import type { OutputUnit } from '@cfworker/json-schema'
import { isJsonObject, type Json } from '../../core/json/json.ts'
import { localPointer } from './schema-references.ts'

/** Keywords that only say that something below them is wrong; that is told by itself. */
const WRAPPERS = new Set(
  (
    '$ref properties patternProperties additionalProperties items prefixItems allOf if ' +
    'dependentSchemas propertyNames unevaluatedProperties unevaluatedItems'
  ).split(' '),
)
/** Characters of a limit that is repeated: an enum may be long. */
const LIMIT_CHARS_MAX = 200

export function isWrapper(unit: OutputUnit): boolean {
  return WRAPPERS.has(unit.keyword)
}

export function faultText(unit: OutputUnit, schema: Json): string {
  const limit = shortText(schemaAt(schema, unit.keywordLocation))
  switch (unit.keyword) {
    case 'required':
      return 'is missing; send it'
    case 'false':
      return 'is not allowed here; remove it'
    case 'type':
      return `must be of type ${limit}`
    case 'enum':
      return `must be one of ${limit}`
    case 'const':
      return `must be ${limit}`
    case 'pattern':
      return `must match the pattern ${limit}`
    case 'format':
      return `must have the format ${limit}`
    case 'anyOf':
      return 'must fit at least one of the alternatives'
    case 'oneOf':
      return 'must fit exactly one of the alternatives'
    case 'not':
      return 'must not fit the schema under "not"'
    case 'contains':
      return 'must hold an item that fits "contains"'
    case 'uniqueItems':
      return 'must not hold the same item twice'
    case 'dependentRequired':
      return 'needs another argument beside it; see dependentRequired'
    default:
      return boundText(unit.keyword, limit)
  }
}

function boundText(keyword: string, limit: string): string {
  switch (keyword) {
    case 'minimum':
      return `must be at least ${limit}`
    case 'maximum':
      return `must be at most ${limit}`
    case 'exclusiveMinimum':
      return `must be above ${limit}`
    case 'exclusiveMaximum':
      return `must be below ${limit}`
    case 'multipleOf':
      return `must be a multiple of ${limit}`
    case 'minLength':
      return `must have at least ${limit} characters`
    case 'maxLength':
      return `must have at most ${limit} characters`
    case 'minItems':
      return `must have at least ${limit} items`
    case 'maxItems':
      return `must have at most ${limit} items`
    case 'minProperties':
      return `must have at least ${limit} members`
    case 'maxProperties':
      return `must have at most ${limit} members`
    default:
      return `does not fit "${keyword}" ${limit}`.trimEnd()
  }
}

/** The value of the keyword that complained. The validator's path runs through `$ref`s by name. */
function schemaAt(root: Json, keywordLocation: string): Json | undefined {
  let at: Json | undefined = root
  for (const part of keywordLocation.split('/').slice(1)) {
    at = part === '$ref' ? referred(root, at) : childOf(at, decodePart(part))
  }
  return at
}

function referred(root: Json, holder: Json | undefined): Json | undefined {
  const reference = isJsonObject(holder) ? holder['$ref'] : undefined
  const pointer = typeof reference === 'string' ? localPointer(reference) : undefined
  if (pointer === undefined) return undefined
  let at: Json | undefined = root
  for (const part of pointer.split('/').slice(1)) at = childOf(at, unescapePart(part))
  return at
}

function childOf(value: Json | undefined, key: string): Json | undefined {
  if (Array.isArray(value)) return value[Number(key)]
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

/** The validator percent-encodes the parts of its paths, as in a URI fragment. */
export function decodePart(part: string): string {
  return unescapePart(decodeURIComponent(part))
}

function unescapePart(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~')
}

function shortText(limit: Json | undefined): string {
  if (limit === undefined) return ''
  const listed = Array.isArray(limit) ? limit.map(plainText).join(', ') : plainText(limit)
  return listed.length > LIMIT_CHARS_MAX ? `${listed.slice(0, LIMIT_CHARS_MAX)}…` : listed
}

function plainText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

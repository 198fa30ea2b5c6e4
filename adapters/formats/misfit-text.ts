/**
 * Error messages for the sender of the arguments: the limit and what to send. They never repeat the
 * value, because clients log errors, and a value may be confidential.
 */
import type { Json } from '../../core/json/json.ts'

/** Characters of a limit in a message: an enum may be long. */
const LIMIT_CHARS_MAX = 200

/** `value` is the keyword's own value, such as the list of an enum. */
export function describeMisfit(keyword: string, value: Json | undefined): string {
  const limit = value === undefined ? '' : shortenLimit(value)
  switch (keyword) {
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
      return describeBound(keyword, limit)
  }
}

function describeBound(keyword: string, limit: string): string {
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

/** Stops when the text is long enough: all errors of an answer may show the same long list. */
function shortenLimit(limit: Json): string {
  let text = ''
  for (const one of Array.isArray(limit) ? limit : [limit]) {
    text += `${text === '' ? '' : ', '}${writePlain(one)}`
    if (text.length > LIMIT_CHARS_MAX) return `${text.slice(0, LIMIT_CHARS_MAX)}…`
  }
  return text
}

function writePlain(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/**
 * Items as the engine stores them: plain values in the canonical form that DynamoDB would answer.
 * Numbers are exact decimals without leading or trailing zeros. Sets are refused, since this
 * gateway writes none. No value is changed in place, so an answer may share parts with the stored
 * item.
 */
import { NumberValueImpl as NumberValue } from '@aws-sdk/util-dynamodb'
import { isItem } from '../client/item.ts'
import { countDigits, toCanonicalDecimal } from './decimal.ts'
import { makeValidationError } from './refused.ts'

export type Value =
  | string
  | boolean
  | null
  | Uint8Array
  | NumberValue
  | readonly Value[]
  | { readonly [name: string]: Value }

export type ValueMap = { readonly [name: string]: Value }

/** DynamoDB's limit of significant digits in a number. */
export const NUMBER_DIGITS_MAX = 38

/**
 * Copies an item or a request's values to canonical form, without undefined. Throws
 * `RefusedRequest`.
 */
export function toCanonicalMap(map: object): ValueMap {
  const made: { [name: string]: Value } = {}
  for (const [name, value] of Object.entries(map)) {
    if (value !== undefined) defineMember(made, name, toCanonicalValue(value))
  }
  return made
}

/** Sets a member. `__proto__` is an attribute like any other, so it needs `defineProperty`. */
export function defineMember(map: { [name: string]: Value }, name: string, value: Value): void {
  if (name !== '__proto__') map[name] = value
  else
    Object.defineProperty(map, name, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    })
}

export function toCanonicalValue(value: unknown): Value {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
    case 'bigint':
      return parseNumber(String(value))
    case 'object':
      return value === null ? null : canonicalObject(value)
    default:
      throw makeValidationError(`an item cannot hold a ${typeof value}`)
  }
}

function canonicalObject(value: object): Value {
  if (value instanceof NumberValue) return parseNumber(value.value)
  if (value instanceof Uint8Array) return value
  if (Array.isArray(value)) {
    return value.filter((one: unknown) => one !== undefined).map(toCanonicalValue)
  }
  if (value instanceof Set) throw makeValidationError('this store keeps no sets')
  return toCanonicalMap(value)
}

/**
 * Parses a number. Throws `RefusedRequest` if it is none, or has more digits than DynamoDB keeps.
 */
export function parseNumber(text: string): NumberValue {
  const canonical = toCanonicalDecimal(text)
  if (canonical === undefined)
    throw makeValidationError(`The parameter cannot be converted to a numeric value`)
  if (countDigits(canonical) > NUMBER_DIGITS_MAX) {
    throw makeValidationError(
      `Attempting to store more than ${NUMBER_DIGITS_MAX} significant digits`,
    )
  }
  return NumberValue.from(canonical)
}

export function isMap(value: Value | undefined): value is ValueMap {
  return isItem(value)
}

export function isList(value: Value | undefined): value is readonly Value[] {
  return Array.isArray(value)
}

export { NumberValue }

/**
 * Part of the table of items that evaluates DynamoDB's expressions in this process: compiles the paths
 * and operands of an expression to functions over one item.
 */
import { addDecimals, subtractDecimals } from './decimal.ts'
import type { Operand, Path, Step } from './parse-expression.ts'
import { makeValidationError } from './refused.ts'
import { isList, isMap, NumberValue, parseNumber, type Value, type ValueMap } from './value.ts'

/** One item, and the names and values that the request binds. */
export type Scope = {
  readonly item: ValueMap
  readonly names: { readonly [name: string]: string }
  readonly values: ValueMap
}

export type Read = (scope: Scope) => Value | undefined

/** Cached texts; a compiled text takes one or two kilobytes. */
const TEXTS_MAX = 1_000

/**
 * Caches the result for each text. A program uses a few hundred texts. Those that remove indexes of
 * lists are many more, so the cache is emptied at TEXTS_MAX.
 */
export function cacheByText<T>(make: (text: string) => T): (text: string) => T {
  const made = new Map<string, T>()
  return (text) => {
    const known = made.get(text)
    if (known !== undefined) return known
    const fresh = make(text)
    if (made.size >= TEXTS_MAX) made.clear()
    made.set(text, fresh)
    return fresh
  }
}

export function compilePath(path: Path): Read {
  const [first, ...rest] = path
  // A path begins with a name, and the parser accepts only names of the form `#name`.
  const top = first !== undefined && 'name' in first ? first.name : ''
  if (rest.length === 0) return ({ item, names }) => getMember(item, findName(names, top))
  return ({ item, names }) => {
    let here = getMember(item, findName(names, top))
    for (const step of rest) here = stepInto(here, step, names)
    return here
  }
}

function stepInto(value: Value | undefined, step: Step, names: Scope['names']): Value | undefined {
  if ('index' in step) return isList(value) ? value[step.index] : undefined
  return isMap(value) ? getMember(value, findName(names, step.name)) : undefined
}

function getMember(map: ValueMap, name: string): Value | undefined {
  return Object.hasOwn(map, name) ? map[name] : undefined
}

export function findName(names: Scope['names'], token: string): string {
  const name = names[token]
  if (name === undefined)
    throw makeValidationError(`An expression attribute name is not defined: ${token}`)
  return name
}

export function findValue(values: ValueMap, token: string): Value {
  const value = values[token]
  if (value === undefined)
    throw makeValidationError(`An expression attribute value is not defined: ${token}`)
  return value
}

export function compileOperand(operand: Operand): Read {
  switch (operand.kind) {
    case 'path':
      return compilePath(operand.path)
    case 'value':
      return ({ values }) => findValue(values, operand.name)
    case 'size': {
      const read = compilePath(operand.path)
      return (scope) => sizeValue(read(scope))
    }
    // The function if_not_exists.
    case 'or-else': {
      const [read, otherwise] = [compilePath(operand.path), compileOperand(operand.otherwise)]
      return (scope) => read(scope) ?? otherwise(scope)
    }
    // `append` is the function list_append.
    case 'append':
    case 'plus':
    case 'minus': {
      const [a, b] = [compileOperand(operand.a), compileOperand(operand.b)]
      return (scope) => combine(operand.kind, assertPresent(a(scope)), assertPresent(b(scope)))
    }
    default:
      return operand satisfies never
  }
}

/** Throws a ValidationException if an update reads an attribute that the item does not have. */
export function assertPresent(value: Value | undefined): Value {
  if (value !== undefined) return value
  throw makeValidationError(
    'The provided expression refers to an attribute that does not exist in the item',
  )
}

export function combine(kind: 'append' | 'plus' | 'minus', a: Value, b: Value): Value {
  if (kind === 'append' && isList(a) && isList(b)) return [...a, ...b]
  if (a instanceof NumberValue && b instanceof NumberValue) {
    if (kind === 'plus') return parseNumber(addDecimals(a.value, b.value))
    if (kind === 'minus') return parseNumber(subtractDecimals(a.value, b.value))
  }
  throw makeValidationError('An operand in the update expression has an incorrect data type')
}

/** The function `size`. Undefined for a type without a size: then no comparison is true. */
function sizeValue(value: Value | undefined): Value | undefined {
  const size = countSize(value)
  return size === undefined ? undefined : NumberValue.from(String(size))
}

function countSize(value: Value | undefined): number | undefined {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (value instanceof Uint8Array) return value.byteLength
  if (isList(value)) return value.length
  return isMap(value) ? Object.keys(value).length : undefined
}

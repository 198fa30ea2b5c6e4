/** Compiles conditions, filters and key conditions to functions that test one item. */
import {
  cacheByText,
  compileOperand,
  compilePath,
  type Read,
  type Scope,
} from './compile-operand.ts'
import { compareDecimals } from './decimal.ts'
import { type Condition, parseCondition } from './parse-expression.ts'
import { isList, isMap, NumberValue, type Value } from './value.ts'

export type Test = (scope: Scope) => boolean

/** Throws `RefusedRequest` for an expression that the adapters do not use. */
export const compileCondition = cacheByText((text) => compile(parseCondition(text)))

function compile(condition: Condition): Test {
  switch (condition.kind) {
    case 'and':
    case 'or': {
      const [a, b] = [compile(condition.a), compile(condition.b)]
      if (condition.kind === 'and') return (scope) => a(scope) && b(scope)
      return (scope) => a(scope) || b(scope)
    }
    case 'not': {
      const of = compile(condition.of)
      return (scope) => !of(scope)
    }
    case 'exists': {
      const read = compilePath(condition.path)
      return (scope) => read(scope) !== undefined
    }
    case 'absent': {
      const read = compilePath(condition.path)
      return (scope) => read(scope) === undefined
    }
    case 'compare':
      return compileComparison(
        condition.by,
        compileOperand(condition.a),
        compileOperand(condition.b),
      )
    case 'between': {
      const of = compileOperand(condition.of)
      const [from, to] = [compileOperand(condition.from), compileOperand(condition.to)]
      const [least, most] = [compileComparison('>=', of, from), compileComparison('<=', of, to)]
      return (scope) => least(scope) && most(scope)
    }
    case 'begins':
    case 'contains': {
      const [of, what] = [compileOperand(condition.of), compileOperand(condition.what)]
      const holds = condition.kind === 'begins' ? beginsWith : contains
      return (scope) => holds(of(scope), what(scope))
    }
    default:
      return condition satisfies never
  }
}

function beginsWith(of: Value | undefined, what: Value | undefined): boolean {
  return typeof of === 'string' && typeof what === 'string' && of.startsWith(what)
}

function contains(of: Value | undefined, what: Value | undefined): boolean {
  if (what === undefined) return false
  if (isList(of)) return of.some((one) => isSame(one, what))
  return typeof of === 'string' && typeof what === 'string' && of.includes(what)
}

/** A missing attribute, or one of another type, meets no comparison but `<>`. */
function compileComparison(by: string, a: Read, b: Read): Test {
  if (by === '=') return (scope) => areSame(a(scope), b(scope))
  if (by === '<>') {
    return (scope) => {
      const [x, y] = [a(scope), b(scope)]
      return x === undefined || y === undefined ? x !== y : !isSame(x, y)
    }
  }
  const fits = ORDERS[by]
  if (fits === undefined) return () => false
  return (scope) => {
    const order = compareValues(a(scope), b(scope))
    return order !== undefined && fits(order)
  }
}

const ORDERS: { readonly [by: string]: (order: number) => boolean } = {
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
}

function compareValues(a: Value | undefined, b: Value | undefined): number | undefined {
  if (a instanceof NumberValue && b instanceof NumberValue) return compareDecimals(a.value, b.value)
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b)
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b)
  return undefined
}

/** Compares two texts by their UTF-8 bytes: below, equal to or above zero. */
export function compareTexts(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b))
}

function areSame(a: Value | undefined, b: Value | undefined): boolean {
  return a !== undefined && b !== undefined && isSame(a, b)
}

/** Deep equality of two values, by type and content. */
export function isSame(a: Value, b: Value): boolean {
  if (a instanceof NumberValue) return b instanceof NumberValue && a.value === b.value
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0
  if (isList(a)) {
    return isList(b) && a.length === b.length && a.every((one, index) => areSame(one, b[index]))
  }
  if (!isMap(a)) return a === b
  if (!isMap(b)) return false
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && areSame(a[name], b[name]))
  )
}

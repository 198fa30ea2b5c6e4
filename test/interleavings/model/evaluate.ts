/** Judges a condition on one item, and computes an item after an update. Changes no item. */
import { addDecimals, canonicalDecimal, compareDecimals, subtractDecimals } from './decimal.ts'
import type { Condition, Operand, Path, Step, Update } from './parse-expression.ts'
import { type Bindings, invalid, type Value, type WireItem } from './wire.ts'

type Scope = { readonly item: WireItem; readonly bindings: Bindings }

export function holds(condition: Condition, item: WireItem, bindings: Bindings): boolean {
  return judged(condition, { item, bindings })
}

function judged(condition: Condition, scope: Scope): boolean {
  switch (condition.kind) {
    case 'and':
      return judged(condition.a, scope) && judged(condition.b, scope)
    case 'or':
      return judged(condition.a, scope) || judged(condition.b, scope)
    case 'not':
      return !judged(condition.of, scope)
    case 'exists':
      return at(condition.path, scope) !== undefined
    case 'absent':
      return at(condition.path, scope) === undefined
    case 'compare':
      return compares(condition.by, evaluated(condition.a, scope), evaluated(condition.b, scope))
    case 'between': {
      const of = evaluated(condition.of, scope)
      const [from, to] = [evaluated(condition.from, scope), evaluated(condition.to, scope)]
      return compares('>=', of, from) && compares('<=', of, to)
    }
    case 'begins':
    case 'contains': {
      const [of, what] = [evaluated(condition.of, scope), evaluated(condition.what, scope)]
      if (of === undefined || what === undefined) return false
      return condition.kind === 'begins' ? begins(of, what) : contains(of, what)
    }
    default:
      return condition satisfies never
  }
}

function begins(of: Value, what: Value): boolean {
  return 'S' in of && 'S' in what && of.S.startsWith(what.S)
}

function contains(of: Value, what: Value): boolean {
  if ('L' in of) return of.L.some((one) => same(one, what))
  return 'S' in of && 'S' in what && of.S.includes(what.S)
}

/** A missing attribute, or one of another type, meets no comparison but `<>`. */
function compares(by: string, a: Value | undefined, b: Value | undefined): boolean {
  if (a === undefined || b === undefined) return by === '<>' && a !== b
  if (by === '=') return same(a, b)
  if (by === '<>') return !same(a, b)
  const order = orderOf(a, b)
  if (order === undefined) return false
  if (by === '<') return order < 0
  if (by === '<=') return order <= 0
  return by === '>' ? order > 0 : order >= 0
}

function orderOf(a: Value, b: Value): number | undefined {
  if ('N' in a && 'N' in b) return compareDecimals(a.N, b.N)
  if ('S' in a && 'S' in b) return compareTexts(a.S, b.S)
  if ('B' in a && 'B' in b) {
    return Buffer.compare(Buffer.from(a.B, 'base64'), Buffer.from(b.B, 'base64'))
  }
  return undefined
}

/** In the order of their UTF-8 bytes. */
export function compareTexts(a: string, b: string): number {
  if (a === b) return 0
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}

export function same(a: Value, b: Value): boolean {
  if ('N' in a && 'N' in b) return compareDecimals(a.N, b.N) === 0
  if ('L' in a && 'L' in b) {
    return a.L.length === b.L.length && a.L.every((one, index) => sameAt(one, b.L[index]))
  }
  if ('M' in a && 'M' in b) {
    const names = Object.keys(a.M)
    return (
      names.length === Object.keys(b.M).length &&
      names.every((name) => sameAt(a.M[name], b.M[name]))
    )
  }
  return JSON.stringify(a) === JSON.stringify(b)
}

function sameAt(a: Value | undefined, b: Value | undefined): boolean {
  return a !== undefined && b !== undefined && same(a, b)
}

export function nameIn(name: string, { ExpressionAttributeNames: names }: Bindings): string {
  const found = names?.[name]
  if (found === undefined) throw invalid(`An expression attribute name is not defined: ${name}`)
  return found
}

function boundTo(name: string, { ExpressionAttributeValues: values }: Bindings): Value {
  const found = values?.[name]
  if (found === undefined) throw invalid(`An expression attribute value is not defined: ${name}`)
  return found
}

function at(path: Path, { item, bindings }: Scope): Value | undefined {
  return path.reduce<Value | undefined>((here, step) => inside(here, step, bindings), { M: item })
}

function inside(value: Value | undefined, step: Step, bindings: Bindings): Value | undefined {
  if (value === undefined) return undefined
  if ('index' in step) return 'L' in value ? value.L[step.index] : undefined
  const name = nameIn(step.name, bindings)
  return 'M' in value && Object.hasOwn(value.M, name) ? value.M[name] : undefined
}

function evaluated(operand: Operand, scope: Scope): Value | undefined {
  switch (operand.kind) {
    case 'path':
      return at(operand.path, scope)
    case 'value':
      return boundTo(operand.name, scope.bindings)
    case 'size': {
      const found = at(operand.path, scope)
      return found === undefined ? undefined : { N: String(sizeOf(found)) }
    }
    case 'or-else':
      return at(operand.path, scope) ?? evaluated(operand.otherwise, scope)
    case 'append':
    case 'plus':
    case 'minus':
      return combined(operand.kind, present(operand.a, scope), present(operand.b, scope))
    default:
      return operand satisfies never
  }
}

function sizeOf(value: Value): number {
  if ('M' in value) return Object.keys(value.M).length
  if ('L' in value) return value.L.length
  if ('S' in value) return Buffer.byteLength(value.S)
  if ('B' in value) return Buffer.from(value.B, 'base64').length
  throw invalid('size: of a type that has none')
}

function present(operand: Operand, scope: Scope): Value {
  const value = evaluated(operand, scope)
  if (value !== undefined) return value
  throw invalid('The provided expression refers to an attribute that does not exist in the item')
}

function combined(kind: 'append' | 'plus' | 'minus', a: Value, b: Value): Value {
  if (kind === 'append' && 'L' in a && 'L' in b) return { L: [...a.L, ...b.L] }
  if (kind === 'plus' && 'N' in a && 'N' in b) return { N: addDecimals(a.N, b.N) }
  if (kind === 'minus' && 'N' in a && 'N' in b) return { N: subtractDecimals(a.N, b.N) }
  throw invalid('An operand in the update expression has an incorrect data type')
}

/** Every operand is read from the item as it was before the update. */
export function updated(update: Update, item: WireItem, bindings: Bindings): WireItem {
  const scope = { item, bindings }
  const values = update.set.map(({ path, to }) => ({ path, value: present(to, scope) }))
  let after = item
  for (const { path, value } of values) after = written(after, path, bindings, value)
  for (const { path, value } of update.add) {
    const added = boundTo(value, bindings)
    const sum = combined('plus', at(path, scope) ?? { N: '0' }, added)
    after = written(after, path, bindings, sum)
  }
  // Indexes are those of the old list: the last one goes first.
  const removals = [...update.remove].sort((a, b) => lastIndex(b) - lastIndex(a))
  for (const path of removals) after = written(after, path, bindings, undefined)
  return after
}

function lastIndex(path: Path): number {
  const last = path.at(-1)
  return last !== undefined && 'index' in last ? last.index : -1
}

/** The item with another value at the path; `undefined` removes what is there. */
function written(
  item: WireItem,
  path: Path,
  bindings: Bindings,
  value: Value | undefined,
): WireItem {
  const changed = writtenIn({ M: item }, path, bindings, value)
  if ('M' in changed) return changed.M
  throw invalid(BAD_PATH)
}

const BAD_PATH = 'The document path provided in the update expression is invalid for update'

function writtenIn(
  here: Value | undefined,
  [step, ...rest]: Path,
  bindings: Bindings,
  value: Value | undefined,
): Value {
  if (here === undefined || step === undefined) throw invalid(BAD_PATH)
  if ('name' in step && 'M' in here) {
    const name = nameIn(step.name, bindings)
    const next = rest.length === 0 ? value : writtenIn(here.M[name], rest, bindings, value)
    const { [name]: _old, ...others } = here.M
    return { M: next === undefined ? others : { ...others, [name]: next } }
  }
  if ('index' in step && 'L' in here && rest.length === 0) {
    if (value !== undefined) throw new Error('the model sets no entry of a list')
    return { L: here.L.filter((_, index) => index !== step.index) }
  }
  throw invalid(BAD_PATH)
}

/** Numbers in the form that DynamoDB answers them in. */
export function canonical(value: Value): Value {
  if ('N' in value) return { N: canonicalDecimal(value.N) }
  if ('L' in value) return { L: value.L.map(canonical) }
  return 'M' in value ? { M: canonicalItem(value.M) } : value
}

export function canonicalItem(item: WireItem): WireItem {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, canonical(value)]))
}

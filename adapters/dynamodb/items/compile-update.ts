/**
 * Compiles updates to functions that return the changed item, and projections. Items are copied.
 */
import {
  assertPresent,
  cacheByText,
  combine,
  compileOperand,
  compilePath,
  findName,
  findValue,
  type Scope,
} from './compile-operand.ts'
import { type Path, parseProjection, parseUpdate } from './parse-expression.ts'
import { makeValidationError } from './refused.ts'
import { defineMember, isList, isMap, NumberValue, type Value, type ValueMap } from './value.ts'

/** Every operand is read from the item as it was before the update. */
export const compileUpdate = cacheByText((text): ((scope: Scope) => ValueMap) => {
  const update = parseUpdate(text)
  const set = update.set.map(({ path, to }) => ({ path, read: compileOperand(to) }))
  const add = update.add.map(({ path, value }) => ({ path, value, read: compilePath(path) }))
  // Indexes are those of the old list, so the last one is removed first.
  const remove = [...update.remove].sort((a, b) => lastIndex(b) - lastIndex(a))
  return (scope) => {
    const { item, names, values } = scope
    const writes = set.map(({ path, read }) => ({ path, value: assertPresent(read(scope)) }))
    for (const { path, read, value } of add) {
      const sum = combine('plus', read(scope) ?? ZERO, findValue(values, value))
      writes.push({ path, value: sum })
    }
    let after = item
    for (const { path, value } of writes) after = setInMap(after, path, names, value)
    for (const path of remove) after = setInMap(after, path, names, undefined)
    return after
  }
})

const ZERO = NumberValue.from('0')

function lastIndex(path: Path): number {
  const last = path.at(-1)
  return last !== undefined && 'index' in last ? last.index : -1
}

/** A copy of the map with another value at the path; `undefined` removes the member. */
function setInMap(
  map: ValueMap,
  [step, ...rest]: Path,
  names: Scope['names'],
  value: Value | undefined,
): ValueMap {
  if (step === undefined || !('name' in step)) throw makeValidationError(BAD_PATH)
  const name = findName(names, step.name)
  const next = rest.length === 0 ? value : setInside(map[name], rest, names, value)
  const made: { [name: string]: Value } = { ...map }
  if (next === undefined) delete made[name]
  else defineMember(made, name, next)
  return made
}

const BAD_PATH = 'The document path provided in the update expression is invalid for update'

function setInside(
  here: Value | undefined,
  path: Path,
  names: Scope['names'],
  value: Value | undefined,
): Value {
  const [step, ...rest] = path
  if (isMap(here)) return setInMap(here, path, names, value)
  if (step === undefined || !('index' in step) || !isList(here)) throw makeValidationError(BAD_PATH)
  if (rest.length > 0 || value !== undefined)
    throw makeValidationError('this store sets no entry of a list')
  return here.filter((_, index) => index !== step.index)
}

/**
 * Returns the named attributes of an item. Throws `RefusedRequest` for a path inside an attribute.
 */
export const compileProjection = cacheByText(
  (text): ((item: ValueMap, names: Scope['names']) => ValueMap) => {
    const tokens = parseProjection(text).map(([step, ...rest]) => {
      if (step === undefined || !('name' in step) || rest.length > 0) {
        throw makeValidationError('this store answers whole attributes')
      }
      return step.name
    })
    return (item, names) => {
      const wanted = tokens.map((token) => findName(names, token))
      return Object.fromEntries(Object.entries(item).filter(([name]) => wanted.includes(name)))
    }
  },
)

/** Reads the partition and the range of sort keys from a key condition. */
import type { Bindings } from './bindings.ts'
import { cacheByText, findName, findValue } from './compile-operand.ts'
import { type Condition, type Operand, parseCondition } from './parse-expression.ts'
import { makeValidationError } from './refused.ts'

type Bounds = { readonly from: string | undefined; readonly to: string | undefined }

/** Sorts after every character. */
const LAST_CHARACTER = '\u{10FFFF}'

/**
 * Both bounds are included, even if the condition excludes one: the caller also tests each item.
 * Throws `RefusedRequest` for a condition that names no partition or is not supported.
 */
export function readKeyRange(text: string, bound: Bindings): Bounds & { readonly pk: string } {
  const { partition, sort } = splitCondition(text)
  const pk = readPartition(partition, 'pk', bound)
  return { pk, ...(sort === undefined ? NO_BOUNDS : readBounds(sort, bound)) }
}

const NO_BOUNDS: Bounds = { from: undefined, to: undefined }

type Parts = { readonly partition: Condition; readonly sort: Condition | undefined }

const splitCondition = cacheByText((text): Parts => {
  const condition = parseCondition(text)
  if (condition.kind !== 'and') return { partition: condition, sort: undefined }
  return { partition: condition.a, sort: condition.b }
})

function readPartition(condition: Condition, name: string, bound: Bindings): string {
  if (condition.kind !== 'compare' || condition.by !== '=') throw badCondition()
  assertPath(condition.a, name, bound)
  return readText(condition.b, bound)
}

function readBounds(condition: Condition, bound: Bindings): Bounds {
  switch (condition.kind) {
    case 'between':
      assertPath(condition.of, 'sk', bound)
      return { from: readText(condition.from, bound), to: readText(condition.to, bound) }
    case 'begins': {
      assertPath(condition.of, 'sk', bound)
      const from = readText(condition.what, bound)
      return { from, to: `${from}${LAST_CHARACTER}` }
    }
    case 'compare': {
      assertPath(condition.a, 'sk', bound)
      const text = readText(condition.b, bound)
      if (condition.by === '=') return { from: text, to: text }
      if (condition.by.startsWith('>')) return { from: text, to: undefined }
      if (condition.by.startsWith('<') && condition.by !== '<>')
        return { from: undefined, to: text }
      throw badCondition()
    }
    default:
      throw badCondition()
  }
}

function assertPath(operand: Operand, name: string, { names }: Bindings): void {
  if (operand.kind === 'path') {
    const [step, ...rest] = operand.path
    const found = step !== undefined && 'name' in step ? findName(names, step.name) : ''
    if (rest.length === 0 && found === name) return
  }
  throw badCondition()
}

function readText(operand: Operand, { values }: Bindings): string {
  const value = operand.kind === 'value' ? findValue(values, operand.name) : undefined
  if (typeof value === 'string') return value
  throw badCondition()
}

function badCondition() {
  return makeValidationError('Query key condition not supported')
}

/**
 * A correct value written as JSON with some nodes replaced, and some members added, doubled or left
 * out.
 */
import fc from 'fast-check'
import { isJsonObject, type Json } from '../../core/json/json.ts'
import { JSON_TEXTS } from './json-texts.ts'

const NAMES: readonly string[] = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'then',
  'toJSON',
  '',
  'id',
  'jsonrpc',
  'method',
  'params',
  'name',
  'skill',
  'arguments',
  'result',
  'error',
  '_meta',
  'city',
  'note',
  'cursor',
  'limit',
  'requestId',
  '\u0000',
  '\ud800',
  '👍',
  'x'.repeat(300),
  `${'x'.repeat(63)}👍`,
  'a/b~c',
]

export type Edit = {
  /** The node to change, counted modulo their number. */
  readonly at: number
  readonly kind: 'replace' | 'add' | 'double' | 'leave out' | 'wrap'
  readonly name: string
  readonly text: string
}

export const edits: fc.Arbitrary<readonly Edit[]> = fc.oneof(
  { weight: 4, arbitrary: fc.constant([]) },
  {
    weight: 3,
    arbitrary: fc.array(
      fc.record({
        at: fc.nat({ max: 40 }),
        kind: fc.constantFrom(
          'replace',
          'replace',
          'replace',
          'add',
          'double',
          'leave out',
          'wrap',
        ),
        name: fc.constantFrom(...NAMES),
        text: fc.oneof(fc.constantFrom(...JSON_TEXTS), fc.json()),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  },
)

/** `value` as JSON text, with the change applied. */
export function written(value: Json, made: readonly Edit[]): string {
  const nodes = countOf(value)
  const byNode = new Map(made.map((edit) => [edit.at % nodes, edit]))
  let serial = 0
  const write = (node: Json): string | undefined => {
    const edit = byNode.get(serial)
    serial += 1
    const inside = writeInside(node)
    return edit === undefined ? inside : edited(inside, edit)
  }
  const writeInside = (node: Json): string => {
    if (Array.isArray(node)) return `[${node.map((one) => write(one) ?? '').join(',')}]`
    if (!isJsonObject(node)) return JSON.stringify(node)
    const members = Object.entries(node).flatMap(([name, one]) => {
      const text = write(one)
      return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`]
    })
    return `{${members.join(',')}}`
  }
  return write(value) ?? ''
}

function edited(text: string, { kind, name, text: other }: Edit): string | undefined {
  switch (kind) {
    case 'replace':
      return other
    case 'leave out':
      return undefined
    case 'wrap':
      return `[${text}]`
    case 'add':
      return text.endsWith('}') ? withMember(text, JSON.stringify(name), other) : other
    case 'double':
      return text.endsWith('}') ? doubled(text, other) : other
    default:
      return kind satisfies never
  }
}

function withMember(text: string, name: string, value: string): string {
  return `${text.slice(0, -1)}${text === '{}' ? '' : ','}${name}:${value}}`
}

/** Repeats its first member with another value. */
function doubled(text: string, value: string): string {
  const first = /^\{("(?:[^"\\]|\\.)*"):/.exec(text)?.[1]
  return first === undefined ? value : withMember(text, first, value)
}

function countOf(value: Json): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce<number>((sum, one) => sum + countOf(one), 1)
}

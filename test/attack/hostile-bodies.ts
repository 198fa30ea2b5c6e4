/** Values of 1 MiB, the longest that a door takes, each of another shape: what a hostile caller can send. */
import type { Json } from '../../core/json/json.ts'

/** Bytes of a body, with room for what stands around the value. */
const BYTES = 1_048_576 - 1_024

export type Body = { readonly name: string; readonly value: Json }

export function hostileBodies(): readonly Body[] {
  return [
    body('one long text', 'a'.repeat(BYTES)),
    body('one text of spaces', ' '.repeat(BYTES)),
    body('one text outside ASCII', '😀'.repeat(BYTES / 4)),
    body('a short text that nearly matches', `${'a'.repeat(60)}!`),
    body('a text of nested groups', '('.repeat(BYTES)),
    body(
      'numbers',
      many('1', () => 1),
    ),
    body(
      'different numbers',
      many('123456', (index) => index),
    ),
    body(
      'fractions',
      many('0.123456', (index) => (index + 0.5) / 1e6),
    ),
    body(
      'huge and tiny numbers',
      many('1.7e308', (index) => (index % 2 === 0 ? 1.7e308 : 5e-324)),
    ),
    body(
      'nulls',
      many('null', () => null),
    ),
    body(
      'texts',
      many('"a"', () => 'a'),
    ),
    body(
      'different texts',
      many('"123456"', (index) => String(index)),
    ),
    body(
      'texts of 40',
      many(`"${'a'.repeat(40)}!"`, () => `${'a'.repeat(40)}!`),
    ),
    body(
      'empty objects',
      many('{}', () => ({})),
    ),
    body(
      'empty arrays',
      many('[]', () => []),
    ),
    body(
      'records',
      many('{"a":1,"b":"x"}', (index) => ({ a: index % 7, b: 'x' })),
    ),
    body(
      'different records',
      many('{"a":123456}', (index) => ({ a: index })),
    ),
    body(
      'pairs',
      many('[123456]', (index) => [index]),
    ),
    body('1000 arrays of numbers', rows(1_000, 515)),
    body('equal arrays but for the last item', nearlyEqual(2_000, 250)),
    body('many members', Object.fromEntries(membersOf('"m123456":1', (index) => `m${index}`))),
    body('long names', Object.fromEntries(membersOf(`"${'a'.repeat(1_000)}123456":1`, longName))),
    body('one long name', { ['a'.repeat(BYTES)]: 1 }),
    body(
      'deep arrays',
      deep(60, (inner) => [inner, ...filler()]),
    ),
    body(
      'deep objects',
      deep(60, (inner) => ({ a: inner, b: filler() })),
    ),
    body(
      'deep records',
      deep(60, (inner) => ({ a: inner, next: { a: filler() } })),
    ),
  ]
}

function body(name: string, value: Json): Body {
  return { name, value }
}

function many(sample: string, item: (index: number) => Json): Json {
  return Array.from({ length: Math.floor(BYTES / (sample.length + 1)) }, (_, index) => item(index))
}

function membersOf(sample: string, name: (index: number) => string): [string, Json][] {
  return Array.from({ length: Math.floor(BYTES / (sample.length + 1)) }, (_, index) => [
    name(index),
    1,
  ])
}

function longName(index: number): string {
  return `${'a'.repeat(1_000)}${index}`
}

function rows(count: number, length: number): Json {
  return Array.from({ length: count }, (_, row) =>
    Array.from({ length }, (_one, column) => (row + column) % 10),
  )
}

function nearlyEqual(count: number, length: number): Json {
  return Array.from({ length: count }, (_, row) => [...Array(length - 1).fill(1), row])
}

/** Each level also has as many siblings as fit. */
function deep(levels: number, around: (inner: Json) => Json): Json {
  let value: Json = 1
  for (let level = 0; level < levels; level += 1) value = around(value)
  return value
}

function filler(): readonly Json[] {
  return Array.from({ length: BYTES / 60 / 3 }, (_, index) => index % 10)
}

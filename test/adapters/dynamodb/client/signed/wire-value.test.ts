/** Values by hand against those of the SDK's document client, both ways. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { marshall, NumberValueImpl as NumberValue, unmarshall } from '@aws-sdk/util-dynamodb'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  decodeItemBytes,
  toPlainItem,
  toWireItem,
} from '../../../../../adapters/dynamodb/client/signed/wire-value.ts'
import { Fault } from '../../../../../core/errors.ts'

const bytes = fc.uint8Array({ maxLength: 40 })
const exact = fc
  .tuple(fc.bigInt(-(10n ** 37n), 10n ** 37n), fc.integer({ min: 0, max: 9 }))
  .map(([digits, fraction]) => NumberValue.from(`${digits}.${fraction}1`))
const sets = fc.oneof(
  fc.uniqueArray(fc.string(), { minLength: 1 }).map((all) => new Set(all)),
  fc.uniqueArray(fc.maxSafeInteger(), { minLength: 1 }).map((all) => new Set(all)),
  fc.array(exact, { minLength: 1, maxLength: 3 }).map((all) => new Set(all)),
  fc.array(bytes, { minLength: 1, maxLength: 3 }).map((all) => new Set(all)),
)
const { item } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.string(),
    fc.maxSafeInteger(),
    fc.double({ min: -1e15, max: 1e15, noNaN: true }),
    fc.boolean(),
    fc.constantFrom(null, undefined),
    fc.bigInt(),
    exact,
    bytes,
    sets,
    fc.array(tie('value'), { maxLength: 4 }),
    tie('item'),
  ),
  // The SDK loses a member of this name; see the test of its own.
  name: fc.string().filter((name) => name !== '__proto__'),
  item: fc.dictionary(
    fc.string().filter((name) => name !== '__proto__'),
    tie('value'),
    { maxKeys: 5, noNullPrototype: true },
  ),
}))

const OPTIONS = { removeUndefinedValues: true }

describe('an item', () => {
  test('has the wire form that the SDK gives it', () => {
    fc.assert(
      fc.property(item, (one) => {
        const theirs = marshall(one, OPTIONS) as object
        expect(toWireItem(one as object)).toEqual(JSON.parse(JSON.stringify(theirs, base64)))
      }),
      { numRuns: 500 },
    )
  })

  test('is read as the SDK reads it, with exact numbers', () => {
    fc.assert(
      fc.property(item, (one) => {
        const wire = toWireItem(one as object)
        const decoded = decodeItemBytes(wire) as unknown as Record<string, AttributeValue>
        expect(toPlainItem(wire)).toEqual(unmarshall(decoded, { wrapNumbers: true }))
      }),
      { numRuns: 500 },
    )
  })

  test('keeps a member whose name is that of the prototype', () => {
    const one = JSON.parse('{"__proto__": {"a": "b"}}')
    const wire = toWireItem(one)
    expect(JSON.stringify(wire)).toBe('{"__proto__":{"M":{"a":{"S":"b"}}}}')
    expect(JSON.stringify(toPlainItem(wire))).toBe('{"__proto__":{"a":"b"}}')
  })

  test('keeps 38 digits', () => {
    const text = '9.9999999999999999999999999999999999999'
    expect(toWireItem({ a: NumberValue.from(text) })).toEqual({ a: { N: text } })
    expect(toPlainItem({ a: { N: text } })).toEqual({ a: NumberValue.from(text) })
  })

  test('reads a map from a Map, and takes bytes of any view of a buffer', () => {
    const view = Buffer.from('xhellox').subarray(1, 6)
    expect(toWireItem({ a: new Map([['b', view]]) })).toEqual({
      a: { M: { b: { B: 'aGVsbG8=' } } },
    })
  })

  test.each([
    ['NaN', Number.NaN],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['9007199254740992', 2 ** 53],
    ['Date', new Date(0)],
    ['a symbol', Symbol('x')],
    ['an empty or a mixed set', new Set()],
    ['an empty or a mixed set', new Set(['a', 1])],
    ['an empty or a mixed set', new Set([true])],
  ])('cannot hold %s, which is a fault of ours', (what, value) => {
    const refused = () => toWireItem({ a: value })
    expect(refused).toThrow(Fault)
    expect(refused).toThrow(what)
  })

  test('an attribute of an unknown type is a fault', () => {
    expect(() => toPlainItem({ a: { X: 'y' } })).toThrow(Fault)
    expect(() => toPlainItem({ a: { constructor: 'y' } })).toThrow(Fault)
  })
})

/** Bytes as JSON has them; `toJSON` of a buffer has run before. */
function base64(this: { readonly [name: string]: unknown }, name: string, value: unknown): unknown {
  const before = this[name]
  return before instanceof Uint8Array ? Buffer.from(before).toString('base64') : value
}

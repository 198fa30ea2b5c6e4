/** The bytes of a text are those that UTF-8 gives it; those of a value are the ones of its JSON. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json } from '../../../core/json/json.ts'
import { toRawNumber } from '../../../core/json/raw-number.ts'
import { countBytes, countJsonBytes } from '../../../core/json/text-bytes.ts'

test('a text has the bytes of its characters in UTF-8, and three for half a surrogate pair', () => {
  const texts = ['', 'plain\n\u0000', '\u007f', '\u0080', 'é', '€', '😀', 'a\ud83d']
  expect(texts.map(countBytes)).toEqual([0, 7, 1, 2, 2, 3, 4, 4])
})

test.each<[Json, number]>([
  [null, 4],
  [[], 2],
  [{}, 2],
  [[1, 1e20, -0], 27],
  [[Number.POSITIVE_INFINITY], 6],
  [{ é: '"\n\u0000', b: [true, 'a\ud83d😀'] }, 44],
  [{ id: toRawNumber('12345678901234567890') }, 27],
])('the bytes of a value are those of its JSON: %j', (value, bytes) => {
  expect(countJsonBytes(value, 1_000)).toBe(bytes)
})

test('the bytes of any value are those of the JSON that is written of it', () => {
  const strings = fc.string({ unit: 'binary' })
  fc.assert(
    fc.property(
      fc.jsonValue({ stringUnit: 'binary' }),
      fc.dictionary(strings, strings),
      (one, two) => {
        const value = JSON.parse(JSON.stringify([one, two]))
        expect(countJsonBytes(value, 1_000_000)).toBe(Buffer.byteLength(JSON.stringify(value)))
      },
    ),
  )
})

test('a value is weighed no further than its limit', () => {
  let reads = 0
  const item = new Proxy([], {
    ownKeys: () => {
      reads += 1
      return ['length']
    },
  })
  const value: Json = Array.from({ length: 1_000 }, () => item)
  expect(countJsonBytes(value, 1_100)).toBeGreaterThan(1_100)
  expect(reads).toBeLessThan(60)
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitItemTexts } from '../../../core/json/item-texts.ts'

test('items come as they were written', () => {
  expect(splitItemTexts(' [ {"id":1.0} ,"a,]\\"b", [1,[2]],12345678901234567890 ] ')).toEqual([
    ' {"id":1.0} ',
    '"a,]\\"b"',
    ' [1,[2]]',
    '12345678901234567890 ',
  ])
  expect(splitItemTexts('["\\\\"]')).toEqual(['"\\\\"'])
})

test('items parsed one by one are the items of the whole text', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue(), { minLength: 1 }), fc.nat(3), (items, indent) => {
      const text = JSON.stringify(items, undefined, indent)
      expect(splitItemTexts(text).map((item) => JSON.parse(item))).toEqual(JSON.parse(text))
    }),
    { seed: 20_250_326, numRuns: 500 },
  )
})

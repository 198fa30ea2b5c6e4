import { expect, test } from 'vitest'
import { textOf } from '../../cli/terminal/confirm.ts'
import { readArguments } from '../../cli/tools/read-arguments.ts'

const TOOL = {
  name: 'sg_x',
  inputSchema: {
    type: 'object',
    properties: { id: { type: 'integer' }, filter: { type: 'object' } },
  },
}

test('a file in UTF-16 is named as such, one in UTF-8 is read without its mark', () => {
  const little = Buffer.from('{"a":1}', 'utf16le')
  expect(() => textOf(little, 'x.json')).toThrow('x.json is encoded in UTF-16 (little endian)')
  expect(() => textOf(Buffer.from(little).swap16(), 'x.json')).toThrow('UTF-16 (big endian)')
  expect(() => textOf(Buffer.from([0x1f, 0x8b, 8]), 'x.json')).toThrow('compressed with gzip')
  expect(() => textOf(Buffer.from([0x22, 0xfc, 0x22]), 'x.json')).toThrow('x.json is not in UTF-8')
  expect(textOf(Buffer.from('\ufeffé'), 'x.json')).toBe('é')
})

test.each(['id=9007199254740993', 'id:=9007199254740993', 'filter:={"id":9007199254740993}'])(
  'the argument %s is refused, since another number would be sent',
  (word) => {
    expect(() => readArguments([word], TOOL)).toThrow('more digits than a double keeps')
  },
)

test('an argument keeps its digits where a double has them', () => {
  expect(readArguments(['id=9007199254740991'], TOOL)).toEqual({ id: 9007199254740991 })
})

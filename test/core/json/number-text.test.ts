import { expect, test } from 'vitest'
import { readNumberText } from '../../../core/json/changed-numbers.ts'

function textOf(posted: string): string {
  const text = `{"other":{"id":7},"id":${posted},"list":[{"id":8}]}`
  return readNumberText(text, ['id'], JSON.parse(text).id)
}

test('a number comes back as it was written', () => {
  const posted = ['0', '-7', '-0', '1.0', '1.50', '1e2', '12345678901234567890', '1e400']
  expect(posted.map(textOf)).toEqual(posted)
})

test('the last number counts where a name is given twice', () => {
  expect(readNumberText('{"id":1.0,"id":2.0}', ['id'], 2)).toBe('2.0')
})

test('a nested number is found at its path only', () => {
  const text = '{"requestId":1.0,"params":{"requestId":12345678901234567890,"x":{"requestId":3.0}}}'
  expect(readNumberText(text, ['params', 'requestId'], JSON.parse(text).params.requestId)).toBe(
    '12345678901234567890',
  )
})

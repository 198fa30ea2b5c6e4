import { expect, test } from 'vitest'
import { detectFormat } from '../../../core/skills/skill-format.ts'

test('input that begins with a brace, white space aside, is unified JSON', () => {
  expect(detectFormat('{"id":1}')).toEqual({ ok: true, value: 'unified-json' })
  expect(detectFormat('\n\t {')).toEqual({ ok: true, value: 'unified-json' })
  expect(detectFormat('\uFEFF{')).toEqual({ ok: true, value: 'unified-json' })
})

test.each([['# Weather\n'], ['[]'], [''], ['"{"']])('%j is not accepted yet', (text) => {
  const format = detectFormat(text)
  expect(format.ok ? '' : format.error.code).toBe('invalid_skill')
})

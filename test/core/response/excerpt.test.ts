/** The excerpt of a failed answer: short, and without the call's secrets. */
import { expect, test } from 'vitest'
import type { Json } from '../../../core/json/json.ts'
import {
  MASKED_ARGUMENT_UNITS_MAX,
  MASKED_ARGUMENTS_MAX,
} from '../../../core/response/argument-mask.ts'
import { EXCERPT_BYTES_MAX, makeExcerpt } from '../../../core/response/excerpt.ts'
import { makeMask, NO_MASK } from '../../../core/response/mask.ts'

function answered(text: string | Uint8Array, mediaType = 'text/plain') {
  const body = typeof text === 'string' ? new TextEncoder().encode(text) : text
  return { status: 500, mediaType, charset: 'utf-8', body }
}

const bytesIn = (text: string) => new TextEncoder().encode(text).length

test('an answer at the limit is whole, and a longer one ends in a mark', () => {
  const whole = 'x'.repeat(EXCERPT_BYTES_MAX)
  expect(makeExcerpt(answered(whole), { args: {}, mask: NO_MASK })).toBe(whole)
  const cut = makeExcerpt(answered(`${whole}y`), { args: {}, mask: NO_MASK })
  expect([bytesIn(cut), cut.at(-1)]).toEqual([EXCERPT_BYTES_MAX, '…'])
})

test('no character is cut in two', () => {
  for (const lead of ['', 'x', 'xx', 'xxx']) {
    const cut = makeExcerpt(answered(lead + '\u{1f600}'.repeat(EXCERPT_BYTES_MAX)), {
      args: {},
      mask: NO_MASK,
    })
    expect(cut).toMatch(/^x{0,3}(?:\u{1f600})+…$/u)
    expect(bytesIn(cut)).toBeLessThanOrEqual(EXCERPT_BYTES_MAX)
  }
})

test('a secret is masked even where the cut would have left half of it', () => {
  const secret = 's3cret-'.repeat(500)
  const mask = makeMask([['API_KEY', secret]])
  for (const lead of [0, EXCERPT_BYTES_MAX - 10, EXCERPT_BYTES_MAX - 1]) {
    const text = `${'-'.repeat(lead)}${secret}${'-'.repeat(100_000)}`
    expect(makeExcerpt(answered(text), { args: {}, mask })).not.toContain('s3cret')
  }
})

test('an answer that is not text is described by its type and size', () => {
  const bytes = new Uint8Array([1, 0, 2])
  expect(makeExcerpt(answered(bytes, 'application/zip'), { args: {}, mask: NO_MASK })).toBe(
    '[application/zip, 3 bytes]',
  )
  expect(makeExcerpt(answered(bytes, ''), { args: {}, mask: NO_MASK })).toBe(
    '[no media type, 3 bytes]',
  )
  expect(makeExcerpt(answered(''), { args: {}, mask: NO_MASK })).toBe('')
})

test('the arguments of the call are left out, nested ones and numbers too, in every spelling', () => {
  const args = { q: 'für Ada', deep: [{ id: 123_456 }] }
  const text = `no "f\\u00fcr Ada" at /find?q=${encodeURIComponent(args.q)}&id=123456`
  expect(makeExcerpt(answered(text), { args, mask: NO_MASK })).toBe(
    'no "[argument]" at /find?q=[argument]&id=[argument]',
  )
})

test('no text of the answer is kept when the arguments are too many or too long to be found', () => {
  const numbered = (count: number) =>
    Array.from({ length: count }, (_, index) => `text number ${index}`)
  const kept = (args: Json) => makeExcerpt(answered('an error'), { args, mask: NO_MASK })
  expect(kept(numbered(MASKED_ARGUMENTS_MAX))).toBe('an error')
  expect(kept(numbered(MASKED_ARGUMENTS_MAX + 1))).toMatch(/^\[.*, 8 bytes\]$/)
  expect(kept('x'.repeat(MASKED_ARGUMENT_UNITS_MAX))).toBe('an error')
  expect(kept('x'.repeat(MASKED_ARGUMENT_UNITS_MAX + 1))).toMatch(/^\[.*, 8 bytes\]$/)
})

/** The excerpt of a failed answer: short, and without the call's secrets. */
import { expect, test } from 'vitest'
import { EXCERPT_BYTES_MAX, excerptOf } from '../../../core/call/excerpt.ts'
import { maskOf, NO_MASK } from '../../../core/call/mask.ts'

function answered(text: string | Uint8Array, mediaType = 'text/plain') {
  const body = typeof text === 'string' ? new TextEncoder().encode(text) : text
  return { status: 500, mediaType, charset: 'utf-8', body }
}

const bytesIn = (text: string) => new TextEncoder().encode(text).length

test('an answer at the limit is whole, and a longer one ends in a mark', () => {
  const whole = 'x'.repeat(EXCERPT_BYTES_MAX)
  expect(excerptOf(answered(whole), NO_MASK)).toBe(whole)
  const cut = excerptOf(answered(`${whole}y`), NO_MASK)
  expect([bytesIn(cut), cut.at(-1)]).toEqual([EXCERPT_BYTES_MAX, '…'])
})

test('no character is cut in two', () => {
  for (const lead of ['', 'x', 'xx', 'xxx']) {
    const cut = excerptOf(answered(lead + '\u{1f600}'.repeat(EXCERPT_BYTES_MAX)), NO_MASK)
    expect(cut).toMatch(/^x{0,3}(?:\u{1f600})+…$/u)
    expect(bytesIn(cut)).toBeLessThanOrEqual(EXCERPT_BYTES_MAX)
  }
})

test('a secret is masked even where the cut would have left half of it', () => {
  const secret = 's3cret-'.repeat(500)
  const mask = maskOf([['API_KEY', secret]])
  for (const lead of [0, EXCERPT_BYTES_MAX - 10, EXCERPT_BYTES_MAX - 1]) {
    const text = `${'-'.repeat(lead)}${secret}${'-'.repeat(100_000)}`
    expect(excerptOf(answered(text), mask)).not.toContain('s3cret')
  }
})

test('what is not text is told by its type and size', () => {
  const bytes = new Uint8Array([1, 0, 2])
  expect(excerptOf(answered(bytes, 'application/zip'), NO_MASK)).toBe('[application/zip, 3 bytes]')
  expect(excerptOf(answered(bytes, ''), NO_MASK)).toBe('[no media type, 3 bytes]')
  expect(excerptOf(answered(''), NO_MASK)).toBe('')
})

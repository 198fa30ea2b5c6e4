/** Secrets of any characters in the spellings of many encoders, and texts that are none. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { makeMask } from '../../../core/response/mask.ts'
import { ENCODERS } from '../call/encoders.ts'

/** Any characters between two that nothing escapes by a backslash. */
const secrets = fc
  .oneof(
    fc.string({ maxLength: 40 }),
    fc.string({ maxLength: 40, unit: 'binary' }),
    fc.string({ maxLength: 40, unit: fc.constantFrom(...'a1_+/=&%\\"\'<> .-~#;x') }),
  )
  .map((inner) => `Z9${inner}9Z`)

describe('a secret of any characters', () => {
  test.each(ENCODERS)('is masked as %s writes it', (_name, encode) => {
    const property = fc.property(secrets, (secret) => {
      const text = `<<${encode(secret)}>>`
      expect(makeMask([['S', secret]])(text)).toBe('<<[secret S]>>')
    })
    fc.assert(property, { seed: 94, numRuns: 300 })
  })

  test('is masked within a longer text in base64', () => {
    const part = fc.stringMatching(/^[a-z]{0,7}$/)
    const long = fc.string({ minLength: 10, maxLength: 40 })
    const property = fc.property(long, part, part, (secret, before, after) => {
      const all = Buffer.from(`${before}:${secret}:${after}`)
      for (const encoding of ['base64', 'base64url'] as const) {
        const text = makeMask([['S', secret]])(`Basic ${all.toString(encoding)}`)
        expect(text).toContain('[secret S]')
        expect(text.length).toBeLessThan(60)
      }
    })
    fc.assert(property, { seed: 94, numRuns: 500 })
  })
})

test.each(['abc_defg abcd\\_efg', '\\abcd_ef&#103;', 'abcd%5fef%67', 'abcd&lowbar;ef', 'ABCD_EFG'])(
  'the text %s does not hold the secret abcd_efgh',
  (text) => {
    expect(makeMask([['S', 'abcd_efgh']])(text)).toBe(text)
  },
)

test.each([
  ['\\abcd_efgh', '\\[secret S]'],
  ['\\\\abcd\\\\_efgh', '\\\\[secret S]'],
  ['"\\nabcd_efgh"', '"\\n[secret S]"'],
  ['abcd&UnderBar;efgh', '[secret S]'],
  ['abcd\\x5Fefgh', '[secret S]'],
  ['abcd%5Fefghabcd_efgh', '[secret S][secret S]'],
])('in the text %s the secret abcd_efgh alone is masked', (text, masked) => {
  expect(makeMask([['S', 'abcd_efgh']])(text)).toBe(masked)
})

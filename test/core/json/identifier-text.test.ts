import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  FOREIGN_ID_BYTES_MAX,
  fromIdentifier,
  toIdentifier,
} from '../../../core/json/identifier-text.ts'

describe('the identifier of an id of the earlier service', () => {
  test.each([
    ['ada', 'ada'],
    ['ada@example.com', 'v0-YWRhQGV4YW1wbGUuY29t'],
    ['auth0|5f7c', 'v0-YXV0aDB8NWY3Yw'],
    ['a.b:c', 'v0-YS5iOmM'],
    ['v0-abcd', 'v0-abcd'],
    ['v0-YS5iOmM', 'v0-djAtWVM1aU9tTQ'],
  ])('the identifier of %s is %s, and leads back', (text, id) => {
    expect(toIdentifier(text)).toBe(id)
    expect(fromIdentifier(id)).toBe(text)
  })

  test('takes 45 bytes and refuses 46', () => {
    const most = `@${'x'.repeat(FOREIGN_ID_BYTES_MAX - 1)}`
    expect(toIdentifier(most)).toHaveLength(63)
    expect(toIdentifier(`${most}x`)).toBeUndefined()
    expect(toIdentifier('')).toBeUndefined()
    expect(toIdentifier('\ud800')).toBeUndefined()
  })

  test('no two ids have one identifier, and each identifier is valid', () => {
    const id = fc.oneof(
      fc.string({ maxLength: 20, unit: 'grapheme' }),
      fc.string({ maxLength: 20, unit: fc.constantFrom('v', '0', '-', 'Y', 'W', 'S', '@', '.') }),
      fc.string({ maxLength: 12 }).map((text) => toIdentifier(text) ?? ''),
    )
    fc.assert(
      fc.property(id, (text) => {
        const made = toIdentifier(text)
        if (made === undefined) return
        expect(made).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
        expect(fromIdentifier(made)).toBe(text)
      }),
      { seed: 20_241_105, numRuns: 20_000 },
    )
  })
})

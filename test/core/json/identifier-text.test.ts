import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  FOREIGN_ID_BYTES_MAX,
  identifierOf,
  textOfIdentifier,
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
    expect(identifierOf(text)).toBe(id)
    expect(textOfIdentifier(id)).toBe(text)
  })

  test('takes 45 bytes and refuses 46', () => {
    const most = `@${'x'.repeat(FOREIGN_ID_BYTES_MAX - 1)}`
    expect(identifierOf(most)).toHaveLength(63)
    expect(identifierOf(`${most}x`)).toBeUndefined()
    expect(identifierOf('')).toBeUndefined()
    expect(identifierOf('\ud800')).toBeUndefined()
  })

  test('no two ids have one identifier, and each identifier is valid', () => {
    const id = fc.oneof(
      fc.string({ maxLength: 20, unit: 'grapheme' }),
      fc.string({ maxLength: 20, unit: fc.constantFrom('v', '0', '-', 'Y', 'W', 'S', '@', '.') }),
      fc.string({ maxLength: 12 }).map((text) => identifierOf(text) ?? ''),
    )
    fc.assert(
      fc.property(id, (text) => {
        const made = identifierOf(text)
        if (made === undefined) return
        expect(made).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
        expect(textOfIdentifier(made)).toBe(text)
      }),
      { seed: 20_241_105, numRuns: 20_000 },
    )
  })
})

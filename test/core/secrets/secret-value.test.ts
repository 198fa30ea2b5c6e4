import { describe, expect, test } from 'vitest'
import { SECRET_BYTES_MAX, SECRET_CHARS_MIN } from '../../../core/secrets/limits.ts'
import { isSecretName, readSecretValue } from '../../../core/secrets/secret.ts'

const RULE = 'must be a string of 4 characters or more, up to 4096 bytes of UTF-8'

describe('the value of a secret', () => {
  test.each([
    ['4 characters', 'abcd'],
    ['4 characters outside the basic plane', '🔑🔑🔑🔑'],
    ['4,096 bytes of ASCII', 'x'.repeat(4_096)],
    ['4,096 bytes of three each, and one', `${'秘'.repeat(1_365)}x`],
    ['white space at its ends', ' abc\n'],
  ])('may have %s', (_what, value) => {
    expect(readSecretValue(value)).toEqual({ ok: true, value })
  })

  test.each([
    ['3 characters', 'abc'],
    ['3 characters of two code units each', '🔑🔑🔑'],
    ['4,097 bytes of ASCII', 'x'.repeat(4_097)],
    ['4,097 bytes in fewer characters', `${'秘'.repeat(1_365)}xx`],
    ['half a surrogate pair', 'abcd\ud83d'],
    ['nothing', ''],
  ])('may not have %s, and the refusal holds none of it', (_what, value) => {
    expect(readSecretValue(value)).toEqual({ ok: false, error: RULE })
  })

  test.each([undefined, null, 12_345, true, ['abcd'], { value: 'abcd' }])(
    'may not be %j',
    (value) => {
      expect(readSecretValue(value)).toEqual({ ok: false, error: RULE })
    },
  )

  test('the limits of a value are 4 characters and 4,096 bytes', () => {
    expect([SECRET_CHARS_MIN, SECRET_BYTES_MAX]).toEqual([4, 4_096])
  })
})

describe('the name of a secret', () => {
  test.each(['A', 'API_KEY', 'A1', 'A_', 'A'.repeat(64)])('may be %s', (name) => {
    expect(isSecretName(name)).toBe(true)
  })

  test.each(['', 'a', 'Api', '1A', '_A', 'A-B', 'A B', 'A\n', 'Ä', 'A'.repeat(65), '__proto__'])(
    'may not be %j',
    (name) => {
      expect(isSecretName(name)).toBe(false)
    },
  )
})

import { describe, expect, test } from 'vitest'
import {
  explainUnsendableSecret,
  readAdminCredential,
} from '../../../core/access/admin-credential.ts'

function read(authorization: string | undefined, adminKey: string | undefined) {
  return readAdminCredential({ authorization, adminKey })
}

test('a request with neither header has no credential', () => {
  expect(read(undefined, undefined)).toEqual({ kind: 'absent' })
})

test('a bearer and an admin key are told apart', () => {
  expect(read('Bearer s3cret', undefined)).toEqual({ kind: 'bearer', token: 's3cret' })
  expect(read(undefined, ' k!y ')).toEqual({ kind: 'admin-key', token: 'k!y' })
})

test('both headers at once are malformed, even if they agree', () => {
  expect(read('Bearer same', 'same')).toEqual({
    kind: 'malformed',
    code: 'unauthenticated',
    detail: 'X-Admin-Key: came together with Authorization; send one of them',
  })
})

test('a doubled, empty or unprintable header is malformed', () => {
  for (const adminKey of ['a, a', 'a,a', 'a a', '', 'ключ', 'a\u007f']) {
    expect(read(undefined, adminKey)).toEqual({
      kind: 'malformed',
      code: 'unauthenticated',
      detail: 'X-Admin-Key: is empty, or not one key; send the admin key alone, once',
    })
  }
  expect(read('Bearer a, Bearer b', undefined)).toMatchObject({ kind: 'malformed' })
})

test('an admin key of 8192 bytes passes and one more is refused', () => {
  expect(read(undefined, 'x'.repeat(8192))).toMatchObject({ kind: 'admin-key' })
  expect(read(undefined, 'x'.repeat(8193))).toEqual({
    kind: 'malformed',
    code: 'headers_too_large',
    detail: 'X-Admin-Key: is over 8192 bytes; send the admin key alone',
  })
})

describe('a value for an admin secret', () => {
  test('has 16 characters or more', () => {
    for (const kind of ['admin-key', 'internal-api-secret'] as const) {
      expect(explainUnsendableSecret(kind, '0123456789abcdef')).toBe(undefined)
      expect(explainUnsendableSecret(kind, '0123456789abcde')).toBe(
        'is too short; give 16 characters or more',
      )
    }
  })

  test('can be sent in a header of 8192 bytes, and not past it', () => {
    expect(explainUnsendableSecret('admin-key', 'x'.repeat(8192))).toBe(undefined)
    expect(explainUnsendableSecret('admin-key', 'x'.repeat(8193))).toContain('at most 8192 bytes')
    expect(explainUnsendableSecret('internal-api-secret', 'x'.repeat(8185))).toBe(undefined)
    expect(explainUnsendableSecret('internal-api-secret', 'x'.repeat(8186))).toContain('8192 bytes')
  })

  test.each([
    ['0123456789!abcdef', undefined, 'Bearer'],
    ['0123456789,abcdef', 'X-Admin-Key', 'Bearer'],
    ['0123456789 abcdef', 'X-Admin-Key', 'Bearer'],
    [' 0123456789abcdef', 'X-Admin-Key', 'Bearer'],
    ['0123456789abcdef\n', 'X-Admin-Key', 'Bearer'],
    ['0123456789äabcdef', 'X-Admin-Key', 'Bearer'],
    ['0123456789._~+/-==', undefined, undefined],
  ])(
    'a value %j has only characters that its header can carry',
    (value, asAdminKey, asInternal) => {
      for (const [kind, header] of [
        ['admin-key', asAdminKey],
        ['internal-api-secret', asInternal],
      ] as const) {
        const fault = explainUnsendableSecret(kind, value)
        if (header === undefined) expect(fault).toBe(undefined)
        else expect(fault).toContain(`cannot be sent as ${header}`)
        expect(fault ?? '').not.toContain('0123456789')
      }
    },
  )
})

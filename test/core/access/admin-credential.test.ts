import { expect, test } from 'vitest'
import { readAdminCredential } from '../../../core/access/admin-credential.ts'

function read(authorization: string | undefined, adminKey: string | undefined) {
  return readAdminCredential({ authorization, adminKey })
}

test('neither header is absent', () => {
  expect(read(undefined, undefined)).toEqual({ kind: 'absent' })
})

test('a bearer and an admin key are told apart', () => {
  expect(read('Bearer s3cret', undefined)).toEqual({ kind: 'bearer', token: 's3cret' })
  expect(read(undefined, ' k!y ')).toEqual({ kind: 'admin-key', token: 'k!y' })
})

test('both at once are malformed, even where they agree', () => {
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

test('an admin key of 4096 bytes passes and one more is refused', () => {
  expect(read(undefined, 'x'.repeat(4096))).toMatchObject({ kind: 'admin-key' })
  expect(read(undefined, 'x'.repeat(4097))).toEqual({
    kind: 'malformed',
    code: 'headers_too_large',
    detail: 'X-Admin-Key: is over 4096 bytes; send the admin key alone',
  })
})

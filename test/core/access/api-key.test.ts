import { describe, expect, test } from 'vitest'
import {
  AUTHORIZATION_BYTES_MAX,
  isApiKey,
  isKeyExpired,
  KEY_RENEW_AFTER_MS,
  KEY_TTL_MS,
  mustRenewKey,
  readAuthorization,
  toKeyPrefix,
} from '../../../core/access/api-key.ts'

const KEY = `sgk_${'Ab3_-'.repeat(8)}xyz`

describe('the Authorization header', () => {
  test('a missing header counts as absent', () => {
    expect(readAuthorization(undefined)).toEqual({ kind: 'absent' })
  })

  test('the scheme is read in any case, with any number of spaces', () => {
    for (const header of [`Bearer ${KEY}`, `bearer ${KEY}`, `BEARER   ${KEY}`, ` Bearer ${KEY} `]) {
      expect(readAuthorization(header)).toEqual({ kind: 'bearer', token: KEY })
    }
  })

  test.each(['eyJh.e30.x-y_z~/+==', 'oldkey-123456789', 'old:key!$(1)|"2"'])(
    'the header accepts %s, since keys of the earlier service have any visible characters but a comma',
    (token) => {
      expect(readAuthorization(`Bearer ${token}`)).toEqual({ kind: 'bearer', token })
    },
  )

  test('each malformed form gets its own message with the remedy', () => {
    const detailOf = (header: string) => readAuthorization(header)
    const how = 'write `Authorization: Bearer <API key>`'
    const malformed = (detail: string) => ({ kind: 'malformed', code: 'unauthenticated', detail })
    expect(detailOf('')).toEqual(malformed(`Authorization: is empty; ${how}`))
    expect(detailOf('Bearer ')).toEqual(
      malformed(
        `Authorization: has no key after Bearer; ${how}, or set the variable that the client takes it from`,
      ),
    )
    expect(detailOf(KEY)).toEqual(malformed(`Authorization: has no scheme before the key; ${how}`))
    expect(detailOf('Basic dTpw')).toEqual(
      malformed(`Authorization: is not of the scheme Bearer; ${how}`),
    )
    const more = `Authorization: has more than one key, or characters no key has; ${how} once`
    expect(detailOf('Bearer a b')).toEqual(malformed(more))
    expect(detailOf('Bearer a, Bearer a')).toEqual(malformed(more))
    expect(detailOf('Bearer a,Bearer a')).toEqual(malformed(more))
    expect(detailOf('Bearer ключ')).toEqual(malformed(more))
  })

  test('a refusal never repeats the header that was sent', () => {
    expect(JSON.stringify(readAuthorization('Bearer secret1 secret2'))).not.toContain('secret')
  })

  test('a header of 8192 bytes passes, and one byte more is refused', () => {
    expect(AUTHORIZATION_BYTES_MAX).toBe(8192)
    expect(readAuthorization(`Bearer ${'x'.repeat(8185)}`).kind).toBe('bearer')
    expect(readAuthorization(`Bearer ${'x'.repeat(8186)}`)).toEqual({
      kind: 'malformed',
      code: 'headers_too_large',
      detail: 'Authorization: is over 8192 bytes; write `Authorization: Bearer <API key>`',
    })
  })
})

describe('keys', () => {
  test('a key is sgk_ and 43 base64url characters', () => {
    expect(isApiKey(KEY)).toBe(true)
    for (const bad of [`${KEY}x`, KEY.slice(0, -1), KEY.replace('sgk_', 'SGK_'), ` ${KEY}`, '']) {
      expect(isApiKey(bad)).toBe(false)
    }
    expect(isApiKey(`sgk_${'+'.repeat(43)}`)).toBe(false)
    expect(isApiKey(`${KEY}\n`)).toBe(false)
  })

  test('lists show the first eight characters of a key', () => {
    expect(toKeyPrefix(KEY)).toBe('sgk_Ab3_')
  })
})

describe('the life of a key', () => {
  const record = {
    keyHash: 'h',
    uid: 'u',
    username: 'demo',
    keyPrefix: 'sgk_Ab3_',
    createdAtMs: 1_000,
    renewedAtMs: 1_000,
    expiresAtMs: 2_592_001_000,
  }

  test('a key lasts thirty days and is renewed by the day', () => {
    expect([KEY_TTL_MS, KEY_RENEW_AFTER_MS]).toEqual([2_592_000_000, 86_400_000])
  })

  test('a key is expired from its last millisecond on', () => {
    expect(isKeyExpired(record, 2_592_000_999)).toBe(false)
    expect(isKeyExpired(record, 2_592_001_000)).toBe(true)
  })

  test('a key is renewed a day after the last time, not before, and never once expired', () => {
    expect(mustRenewKey(record, 86_400_999)).toBe(false)
    expect(mustRenewKey(record, 86_401_000)).toBe(true)
    expect(mustRenewKey(record, 2_592_000_999)).toBe(true)
    expect(mustRenewKey(record, 2_592_001_000)).toBe(false)
  })
})

import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../../core/json/json.ts'
import { faults, good, withConfig } from '../reading.ts'

const auth = (value: Json) => good(withConfig({ auth: value })).skill.auth
const wrong = (value: Json, more: JsonObject = {}) => faults(withConfig({ auth: value, ...more }))
const SECRET =
  '/config/auth/secret must be the name of a secret, 1 to 64 characters of A-Z 0-9 _ and a letter first, never its value'

describe('auth', () => {
  test.each<[Json, unknown]>([
    [null, undefined],
    [
      { type: 'bearer', secret: 'KEY' },
      { type: 'bearer', secret: 'KEY' },
    ],
    [
      { type: 'basic', secret: 'KEY' },
      { type: 'basic', secret: 'KEY', username: undefined },
    ],
    [
      { type: 'basic', secret: 'KEY', username: 'ann@example.com' },
      { type: 'basic', secret: 'KEY', username: 'ann@example.com' },
    ],
    [
      { type: 'header', secret: 'KEY', name: 'X-Api-Key' },
      { type: 'header', secret: 'KEY', name: 'x-api-key' },
    ],
    [
      { type: 'query', secret: 'KEY', name: 'apiKey' },
      { type: 'query', secret: 'KEY', name: 'apiKey' },
    ],
  ])('%j is read', (value, expected) => {
    expect(auth(value)).toEqual(expected)
  })

  test.each<[Json, readonly string[]]>([
    ['KEY', ['/config/auth is not an object; send {"type": "bearer", "secret": "NAME"}']],
    [
      { secret: 'KEY' },
      ['/config/auth/type must be one of bearer, basic, header, query, cookie, oauth2, sigv4'],
    ],
    [
      { type: 'digest', secret: 'KEY' },
      ['/config/auth/type must be one of bearer, basic, header, query, cookie, oauth2, sigv4'],
    ],
    [{ type: 'bearer' }, [SECRET]],
    [{ type: 'bearer', secret: 'sk_live_1' }, [SECRET]],
    [{ type: 'bearer', secret: '{{secrets.KEY}}' }, [SECRET]],
    [{ type: 'bearer', secret: '1KEY' }, [SECRET]],
    [
      { type: 'basic', secret: 'KEY', username: 'a:b' },
      [
        '/config/auth/username must be 1 to 128 characters without a colon; leave it out if the secret is user:password',
      ],
    ],
    [
      { type: 'header', secret: 'KEY' },
      ['/config/auth/name is missing; send a string of 1 to 128 characters'],
    ],
    [
      { type: 'header', secret: 'KEY', name: 'Cookie' },
      ['/config/auth/name is a header that a skill may not set; remove it'],
    ],
    [
      { type: 'header', secret: 'KEY', name: 'a b' },
      ['/config/auth/name is not a header name; use letters, digits and -'],
    ],
    [
      { type: 'query', secret: 'KEY', name: '' },
      ['/config/auth/name is empty; send 1 to 128 characters'],
    ],
  ])('%j is refused', (value, expected) => {
    expect(wrong(value)).toEqual(expected)
  })

  test('never repeats a value given as the name of a secret', () => {
    expect(JSON.stringify(wrong({ type: 'bearer', secret: 'sk_live_1' }))).not.toContain('sk_live')
  })

  test.each<[string, Json, Json]>([
    [
      'secret name',
      { type: 'bearer', secret: 'K'.repeat(64) },
      { type: 'bearer', secret: 'K'.repeat(65) },
    ],
    [
      'user name',
      { type: 'basic', secret: 'KEY', username: 'u'.repeat(128) },
      { type: 'basic', secret: 'KEY', username: 'u'.repeat(129) },
    ],
    [
      'header name',
      { type: 'header', secret: 'KEY', name: 'n'.repeat(128) },
      { type: 'header', secret: 'KEY', name: 'n'.repeat(129) },
    ],
  ])('the limit of the %s is taken, and one past it refused', (_, fits, tooMuch) => {
    expect(wrong(fits)).toEqual([])
    expect(wrong(tooMuch)).toHaveLength(1)
  })

  test('names unknown members in a warning', () => {
    const value = good(withConfig({ auth: { type: 'bearer', secret: 'KEY', name: 'x' } }))
    expect(value.warnings).toEqual(['/config/auth/name: unknown field; kept and not used'])
  })
})

describe('auth beside headers and query of the skill', () => {
  test.each<[JsonObject, JsonObject, string]>([
    [
      { type: 'bearer', secret: 'KEY' },
      { headers: { Authorization: 'Basic {{secrets.B}}' } },
      '/config/headers/authorization is also set by config.auth; keep one of them',
    ],
    [
      { type: 'header', secret: 'KEY', name: 'X-Key' },
      { headers: { 'x-KEY': '1' } },
      '/config/headers/x-key is also set by config.auth; keep one of them',
    ],
    [
      { type: 'query', secret: 'KEY', name: 'key' },
      { query: { key: '1' } },
      '/config/query/key is also set by config.auth; keep one of them',
    ],
  ])('%j beside %j is refused', (value, more, expected) => {
    expect(wrong(value, more)).toEqual([expected])
  })

  test('auth beside a header of another name is accepted', () => {
    const more = { headers: { 'x-a': '1' }, query: { Key: '1' } }
    expect(wrong({ type: 'query', secret: 'KEY', name: 'key' }, more)).toEqual([])
  })
})

import { describe, expect, test } from 'vitest'
import {
  checkHeaders,
  checkJsonType,
  checkPlainBody,
  findHeader,
  readBodyBytes,
  readQuery,
  readTextOrBytes,
} from '../../../adapters/http/request.ts'

describe('the body', () => {
  test.each([
    ['text', { body: 'é', isBase64Encoded: false }, [0xc3, 0xa9]],
    ['base64', { body: 'w6k=', isBase64Encoded: true }, [0xc3, 0xa9]],
    ['none', { isBase64Encoded: false }, []],
  ])('a body is bytes when it comes from %s', (_, request, bytes) => {
    const body = readBodyBytes(request, { bytesMax: 2 })
    expect(body.ok && [...body.value]).toEqual(bytes)
  })

  test.each([
    ['text', (bytes: number) => ({ body: 'x'.repeat(bytes), isBase64Encoded: false })],
    [
      'base64',
      (bytes: number) => ({ body: Buffer.alloc(bytes).toString('base64'), isBase64Encoded: true }),
    ],
  ])('a body as %s is accepted at 1 MiB and refused one byte past it', (_, make) => {
    expect(readBodyBytes(make(1_048_576), { bytesMax: 1_048_576 }).ok).toBe(true)
    expect(readBodyBytes(make(1_048_577), { bytesMax: 1_048_576 })).toEqual({
      ok: false,
      error: { code: 'too_large', detail: 'body: is over 1048576 bytes; send a smaller one' },
    })
  })

  test('a body is measured in bytes, not in characters', () => {
    expect(readBodyBytes({ body: 'éé', isBase64Encoded: false }, { bytesMax: 3 }).ok).toBe(false)
  })
})

describe('the body as text or bytes', () => {
  const LIMIT = { bytesMax: 4 }

  test('a text body stays the text that the platform made of it', () => {
    expect(readTextOrBytes({ body: 'éé', isBase64Encoded: false }, LIMIT)).toEqual({
      ok: true,
      value: 'éé',
    })
  })

  test('a body is bytes where it came as base64, and empty where there is none', () => {
    const body = readTextOrBytes({ body: 'w6k=', isBase64Encoded: true }, LIMIT)
    expect(body.ok && [...body.value]).toEqual([0xc3, 0xa9])
    const none = readTextOrBytes({ isBase64Encoded: false }, LIMIT)
    expect(none.ok && none.value.length).toBe(0)
  })

  test('a body as text or bytes is measured in bytes and refused past the limit', () => {
    expect(readTextOrBytes({ body: 'ééx', isBase64Encoded: false }, LIMIT)).toEqual({
      ok: false,
      error: { code: 'too_large', detail: 'body: is over 4 bytes; send a smaller one' },
    })
  })
})

describe('headers', () => {
  test('are found in any case, and only those that were sent', () => {
    const request = { headers: { authorization: 'Bearer x' } }
    expect(findHeader(request, 'Authorization')).toBe('Bearer x')
    expect(findHeader(request, 'constructor')).toBeUndefined()
  })

  test('may have values of 8 KiB and not one byte more', () => {
    expect(checkHeaders({ headers: { 'x-a': 'a'.repeat(8_192) } }).ok).toBe(true)
    expect(checkHeaders({ headers: { 'x-a': 'a'.repeat(8_193) } })).toEqual({
      ok: false,
      error: {
        code: 'headers_too_large',
        detail: 'header x-a: is over 8192 bytes; shorten it',
      },
    })
  })

  test('may have 32 KiB of names and values and not one byte more', () => {
    const headers = Object.fromEntries(
      Array.from({ length: 8 }, (_, i) => [`name-${i}`, 'v'.repeat(4_090)]),
    )
    expect(checkHeaders({ headers }).ok).toBe(true)
    expect(checkHeaders({ headers: { ...headers, a: '' } })).toEqual({
      ok: false,
      error: {
        code: 'headers_too_large',
        detail: 'headers: are over 32768 bytes in all; send fewer or shorter ones',
      },
    })
  })
})

test('the query is decoded, repeated names included', () => {
  const query = readQuery({ rawQueryString: 'session_id=a%2Fb&session_id=c&x' })
  expect(query.getAll('session_id')).toEqual(['a/b', 'c'])
  expect(query.get('x')).toBe('')
})

describe('the content type', () => {
  test.each([
    ['application/json'],
    ['Application/JSON'],
    ['application/json;charset=utf-8'],
    ['application/json; charset="UTF-8"'],
    ['application/json; profile="a;b"; charset=utf8'],
  ])('%s is JSON', (type) => {
    expect(checkJsonType({ headers: { 'content-type': type } }).ok).toBe(true)
  })

  test.each([
    [undefined, 'content-type: must be application/json; set this header'],
    ['', 'content-type: must be application/json; set this header'],
    ['text/plain', 'content-type: must be application/json; set this header'],
    ['text/plain; a=application/json', 'content-type: must be application/json; set this header'],
    ['application/jsonp', 'content-type: must be application/json; set this header'],
    ['application/json, text/plain', 'content-type: must be application/json; set this header'],
    [
      'application/json; charset=latin1',
      'content-type: charset must be utf-8; encode the body in it',
    ],
  ])('%s is refused', (type, detail) => {
    const headers = type === undefined ? {} : { 'content-type': type }
    expect(checkJsonType({ headers })).toEqual({
      ok: false,
      error: { code: 'unsupported_media_type', detail },
    })
  })
})

test.each(['gzip', 'GZIP', 'br', 'zstd', 'gzip, br'])(
  'a body in the content encoding %s is refused by that name',
  (coding) => {
    const headers = { 'content-type': 'application/json', 'content-encoding': coding }
    const named = coding.toLowerCase()
    expect(checkJsonType({ headers })).toEqual({
      ok: false,
      error: {
        code: 'unsupported_media_type',
        detail: `content-encoding: ${named} is not taken; send the body uncompressed, without this header`,
      },
    })
    expect(checkPlainBody({ headers }).ok).toBe(false)
  },
)

test.each(['', 'identity', undefined])('a body in the content encoding %j is taken', (coding) => {
  const headers = coding === undefined ? {} : { 'content-encoding': coding }
  expect(checkPlainBody({ headers }).ok).toBe(true)
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toRequest } from '../../../core/call/to-request.ts'
import type { JsonObject } from '../../../core/json/json.ts'
import type { HttpMethod, Skill } from '../../../core/skills/skill.ts'

type Part = Pick<Skill, 'endpoint' | 'method' | 'headers' | 'query' | 'responseAs'>

const skill = (endpoint: string, more: Partial<Part> = {}): Part => ({
  endpoint,
  method: 'GET',
  headers: {},
  query: {},
  responseAs: 'auto',
  ...more,
})
const request = (part: Part, args: JsonObject) => {
  const result = toRequest(part, args)
  if (!result.ok) throw new Error(result.error.detail)
  return result.value
}
const url = (endpoint: string, args: JsonObject, more: Partial<Part> = {}) =>
  request(skill(endpoint, more), args).url
const faults = (endpoint: string, args: JsonObject) => {
  const result = toRequest(skill(endpoint), args)
  return result.ok ? [] : result.error.faults
}

describe('a request with a query', () => {
  test.each<[HttpMethod]>([['GET'], ['HEAD'], ['DELETE']])(
    '%s carries arguments there',
    (method) => {
      expect(
        request(skill('https://a.example/x', { method }), { q: 'a b', n: 0, yes: true }),
      ).toEqual({
        method,
        url: 'https://a.example/x?q=a+b&n=0&yes=true',
        headers: {
          accept: 'application/json, text/*;q=0.9, */*;q=0.1',
          'user-agent': 'Skillgate',
        },
        body: undefined,
      })
    },
  )

  test('repeats the name for an array, writes objects as JSON and leaves null out', () => {
    expect(url('https://a.example/', { a: [1, 'b', null, { c: 1 }], o: { x: [1] }, n: null })).toBe(
      'https://a.example/?a=1&a=b&a=%7B%22c%22%3A1%7D&o=%7B%22x%22%3A%5B1%5D%7D',
    )
  })

  test('has no question mark when there is nothing to say', () => {
    expect(url('https://a.example/x', {})).toBe('https://a.example/x')
  })

  test('encodes what would begin another parameter', () => {
    expect(url('https://a.example/', { q: '1&admin=1#x' })).toBe(
      'https://a.example/?q=1%26admin%3D1%23x',
    )
  })

  test('keeps what the author fixed: arguments of the same name are not sent', () => {
    expect(
      url(
        'https://a.example/?units=metric',
        { units: 'x', key: 'x', q: '1' },
        { query: { key: 'k' } },
      ),
    ).toBe('https://a.example/?units=metric&key=k&q=1')
  })
})

describe('a request with a body', () => {
  test.each<[HttpMethod]>([['POST'], ['PUT'], ['PATCH']])(
    '%s carries arguments as JSON',
    (method) => {
      const sent = request(skill('https://a.example/x', { method, responseAs: 'json' }), {
        a: [1, null],
      })
      expect(sent).toEqual({
        method,
        url: 'https://a.example/x',
        headers: {
          accept: 'application/json',
          'user-agent': 'Skillgate',
          'content-type': 'application/json',
        },
        body: '{"a":[1,null]}',
      })
    },
  )

  test('leaves out what the path has taken', () => {
    const sent = request(skill('https://a.example/u/{id}', { method: 'POST' }), { id: 7, x: 1 })
    expect(sent.url).toBe('https://a.example/u/7')
    expect(sent.body).toBe('{"x":1}')
  })

  test('still has the fixed query', () => {
    const sent = request(skill('https://a.example/', { method: 'POST', query: { v: '2' } }), {})
    expect(sent.url).toBe('https://a.example/?v=2')
    expect(sent.body).toBe('{}')
  })
})

test("the skill's own headers win over ours, the user agent is the caller's", () => {
  const part = skill('https://a.example/', { headers: { accept: 'text/csv', 'x-a': '1' } })
  const result = toRequest(part, {}, 'Skillgate/0.1.0')
  expect(result.ok && result.value.headers).toEqual({
    accept: 'text/csv',
    'user-agent': 'Skillgate/0.1.0',
    'x-a': '1',
  })
})

describe('places in the endpoint', () => {
  test('are filled and percent-encoded', () => {
    expect(url('https://a.example/{a}/x-{b}?q={c}', { a: 'ä/b', b: 'c?d', c: 'e&f', d: 1 })).toBe(
      'https://a.example/%C3%A4%2Fb/x-c%3Fd?q=e%26f&d=1',
    )
  })

  test('take numbers and booleans, and half a surrogate pair as a replacement character', () => {
    expect(url('https://a.example/{a}/{b}/{c}', { a: -1.5, b: false, c: '\ud800' })).toBe(
      'https://a.example/-1.5/false/%EF%BF%BD',
    )
  })

  test('name what is missing or cannot be written, all at once', () => {
    expect(faults('https://a.example/{a}/{b~c}?q={d}', { 'b~c': {}, d: null })).toEqual([
      { pointer: '/a', message: 'is needed for the URL; send a string, a number or a boolean' },
      { pointer: '/b~0c', message: 'is needed for the URL; send a string, a number or a boolean' },
      { pointer: '/d', message: 'is needed for the URL; send a string, a number or a boolean' },
    ])
  })

  test('do not take what an object has by birth', () => {
    expect(faults('https://a.example/{constructor}', {})).toHaveLength(1)
  })

  test.each([
    ['https://a.example/{a}/x', { a: '..' }],
    ['https://a.example/{a}', { a: '.' }],
    ['https://a.example/{a}/x', { a: '' }],
    ['https://a.example/.{a}/x', { a: '.' }],
    ['https://a.example/{a}{b}/x', { a: '.', b: '.' }],
    ['https://a.example/%2E{a}/x', { a: '.' }],
  ])('%s refuses %j: it would change the path', (endpoint, args) => {
    const found = faults(endpoint, args)
    expect(found?.[0]?.message).toBe('must not be empty, "." or "..": it is a part of the path')
  })

  test('let no argument out of its segment, whatever it is', () => {
    const hostile = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({
        unit: fc.constantFrom('.', '/', '\\', '%', '2', 'e', 'F', '?', '#', '@', ':', '\n'),
      }),
    )
    fc.assert(
      fc.property(hostile, hostile, (a, q) => {
        const result = toRequest(skill('https://a.example/v1/{a}/end?fixed={q}'), { a, q, rest: q })
        if (!result.ok) return
        const target = new URL(result.value.url)
        expect(target.origin).toBe('https://a.example')
        expect(target.hash).toBe('')
        const segments = target.pathname.split('/')
        expect(segments).toHaveLength(4)
        expect([segments[1], segments[3]]).toEqual(['v1', 'end'])
        expect(decodeURIComponent(segments[2] ?? '')).toBe(a.toWellFormed())
        expect([...target.searchParams.keys()]).toEqual(['fixed', 'rest'])
        expect(target.searchParams.get('fixed')).toBe(q.toWellFormed())
      }),
      { numRuns: 500 },
    )
  })
})

test('a URL may have 8000 characters and not one more', () => {
  const long = (count: number) => toRequest(skill('https://a.example/'), { q: 'x'.repeat(count) })
  expect(long(7979).ok).toBe(true)
  const refused = long(7980)
  expect(refused.ok ? '' : refused.error.detail).toBe(
    'The arguments do not make a request: They make a URL of over 8000 characters; shorten them.',
  )
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../core/json/json.ts'
import { draftRequest } from '../../../core/request/draft-request.ts'
import type { HttpMethod } from '../../../core/skills/skill.ts'
import { body, type Part, skill, template } from './parts.ts'

const draft = (part: Part, args: JsonObject) => {
  const result = draftRequest(part, args)
  if (!result.ok) throw new Error(result.error.detail)
  return result.value
}
const request = (part: Part, args: JsonObject, secrets: { [name: string]: string } = {}) => {
  const completed = draft(part, args).complete(new Map(Object.entries(secrets)))
  if (!completed.ok) throw new Error(completed.error.detail)
  return completed.value
}
const url = (endpoint: string, args: JsonObject, more: Partial<Part> = {}) =>
  request(skill(endpoint, more), args).url
const faults = (endpoint: string, args: JsonObject) => {
  const result = draftRequest(skill(endpoint), args)
  return result.ok ? [] : result.error.faults
}

describe('a request with a query', () => {
  test.each<[HttpMethod]>([['GET'], ['HEAD'], ['DELETE']])(
    'a request of %s carries arguments in its query',
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

  test('has no question mark without a query', () => {
    expect(url('https://a.example/x', {})).toBe('https://a.example/x')
  })

  test('encodes what would begin another parameter', () => {
    expect(url('https://a.example/', { q: '1&admin=1#x' })).toBe(
      'https://a.example/?q=1%26admin%3D1%23x',
    )
  })

  test('refuses arguments under the names that the author fixed', () => {
    const fixed = skill('https://a.example/?units=metric', { query: { key: template('k') } })
    const refused = draftRequest(fixed, { units: 'x', key: 'x', q: '1' })
    expect(!refused.ok && refused.error.faults).toEqual([
      {
        pointer: '/units',
        message: 'would be sent as "units", which this tool sets itself; leave it out',
      },
      {
        pointer: '/key',
        message: 'would be sent as "key", which this tool sets itself; leave it out',
      },
    ])
    expect(request(fixed, { q: '1' }).url).toBe('https://a.example/?units=metric&key=k&q=1')
  })
})

describe('a request with a body', () => {
  test.each<[HttpMethod]>([['POST'], ['PUT'], ['PATCH']])(
    'a request of %s carries arguments as JSON in its body',
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

  test('leaves out arguments that the path has taken', () => {
    const sent = request(skill('https://a.example/u/{id}', { method: 'POST' }), { id: 7, x: 1 })
    expect(sent.url).toBe('https://a.example/u/7')
    expect(sent.body).toBe('{"x":1}')
  })

  test('still has the fixed query', () => {
    const sent = request(
      skill('https://a.example/', { method: 'POST', query: { v: template('2') } }),
      {},
    )
    expect(sent.url).toBe('https://a.example/?v=2')
    expect(sent.body).toBe('{}')
  })
})

test("the skill's own headers win over ours", () => {
  const part = skill('https://a.example/', {
    headers: { accept: template('text/csv'), 'x-a': template('1') },
  })
  const result = draftRequest(part, {})
  const completed = result.ok ? result.value.complete(new Map()) : result
  expect(completed.ok && completed.value.headers).toEqual({
    accept: 'text/csv',
    'user-agent': 'Skillgate',
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

  test('name arguments that are missing or cannot be written, all at once', () => {
    expect(faults('https://a.example/{a}/{b~c}?q={d}', { 'b~c': {}, d: null })).toEqual([
      { pointer: '/a', message: 'is needed for the URL; send a string, a number or a boolean' },
      { pointer: '/b~0c', message: 'is needed for the URL; send a string, a number or a boolean' },
      { pointer: '/d', message: 'is needed for the URL; send a string, a number or a boolean' },
    ])
  })

  test('do not take inherited members of an object', () => {
    expect(faults('https://a.example/{constructor}', {})).toHaveLength(1)
  })

  test.each([
    ['https://a.example/{a}/x', { a: '..' }],
    ['https://a.example/{a}', { a: '.' }],
    ['https://a.example/{a}/x', { a: '' }],
    ['https://a.example/.{a}/x', { a: '.' }],
    ['https://a.example/{a}{b}/x', { a: '.', b: '.' }],
    ['https://a.example/%2E{a}/x', { a: '.' }],
  ])('the place %s refuses %j, which would change the path', (endpoint, args) => {
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
        const result = draftRequest(skill('https://a.example/v1/{a}/end?fixed={q}'), {
          a,
          q,
          rest: q,
        })
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
  const long = (count: number) =>
    draftRequest(skill('https://a.example/'), { q: 'x'.repeat(count) })
  expect(long(7979).ok).toBe(true)
  const refused = long(7980)
  expect(refused.ok ? '' : refused.error.detail).toBe(
    'The arguments do not make a request: They make a URL of over 8000 characters; shorten them.',
  )
})

test('an array of 500000 items makes a URL that is too long, not an error of ours', () => {
  const refused = draftRequest(skill('https://a.example/'), { q: Array(500_000).fill(0) })
  expect(refused.ok ? '' : refused.error.detail).toBe(
    'The arguments do not make a request: They make a URL of over 8000 characters; shorten them.',
  )
})

describe('templates', () => {
  const post = (more: Partial<Part>) => skill('https://a.example/', { method: 'POST', ...more })

  test('take arguments into headers, query and body, and send them nowhere else', () => {
    const part = post({
      headers: { 'x-user': template('u-{{args.user}}') },
      query: { lang: template('{{args.lang}}') },
      body: body({ q: '{{ args.q }}', note: 'for {{args.user}}', fixed: 1 }),
    })
    const sent = request(part, { user: 'ann', lang: 'it', q: { deep: [1] }, other: 'x' })
    expect(sent.url).toBe('https://a.example/?lang=it')
    expect(sent.headers['x-user']).toBe('u-ann')
    expect(sent.body).toBe('{"q":{"deep":[1]},"note":"for ann","fixed":1}')
  })

  test('a single place without its argument removes its pair or member; in a list it is null', () => {
    const part = post({
      headers: { 'x-user': template('{{args.user}}') },
      query: { lang: template('{{args.lang}}'), mix: template('a{{args.lang}}b') },
      body: body({ gone: '{{args.x}}', list: ['{{args.x}}', 1], text: '<{{args.x}}>' }),
    })
    const sent = request(part, { lang: null })
    expect(sent.url).toBe('https://a.example/?mix=ab')
    expect(sent.headers).not.toHaveProperty('x-user')
    expect(sent.body).toBe('{"list":[null,1],"text":"<>"}')
  })

  test('an argument that would break a header line is refused, and named', () => {
    const part = post({ headers: { 'x-user': template('{{args.user}}') } })
    for (const user of ['a\r\nx-admin: 1', 'a\nb', 'ü', 'a\u0000']) {
      const result = draftRequest(part, { user })
      expect(result.ok ? [] : result.error.faults?.map(({ pointer }) => pointer)).toEqual(['/user'])
      expect(JSON.stringify(result)).not.toContain(user.slice(1) || user)
    }
  })

  test.each<[string, string, Json, string]>([
    ['a form', 'application/x-www-form-urlencoded', 'a={{args.x}}&b=1', 'a=1%262%3D3%22&b=1'],
    ['JSON', 'application/json', '{"a":{{args.x}}}', '{"a":"1&2=3\\""}'],
    ['XML', 'text/xml', '<a b="{{args.x}}"/>', '<a b="1&#38;2=3&#34;"/>'],
    ['plain text', 'text/plain', 'a {{args.x}}', 'a 1&2=3"'],
    [
      'a form of members',
      'application/x-www-form-urlencoded',
      { a: '{{args.x}}' },
      'a=1%262%3D3%22',
    ],
  ])('an argument is spelled as its place needs it in %s', (_, type, value, sent) => {
    const part = post({ headers: { 'content-type': template(type) }, body: body(value) })
    expect(request(part, { x: '1&2=3"' }).body).toBe(sent)
  })

  test('a quote in an argument cannot end a JSON text', () => {
    const headers = { 'content-type': template('application/json') }
    const part = post({ headers, body: body('{"a":{{args.x}},"role":"user"}') })
    const sent = request(part, { x: '","role":"admin' })
    expect(JSON.parse(String(sent.body ?? ''))).toEqual({ a: '","role":"admin', role: 'user' })
  })

  test.each<[string | undefined, Json, string, string]>([
    [undefined, { b: [1] }, '{"b":[1]}', 'application/json'],
    ['application/x-www-form-urlencoded', { b: [1, 2], c: null }, 'b=1&b=2', ''],
    ['application/x-www-form-urlencoded', 'a=1&b=2', 'a%3D1%26b%3D2', ''],
    ['text/plain', { b: 1 }, '{"b":1}', ''],
  ])('a place that is the whole body (%s) takes the value %j', (type, x, sent, contentType) => {
    const headers = type === undefined ? {} : { 'content-type': template(type) }
    const made = request(post({ headers, body: body('{{args.x}}') }), { x })
    expect(made.body).toBe(sent)
    expect(made.headers['content-type']).toBe(type ?? contentType)
  })

  test('a body that is a text without places is sent as it is', () => {
    const made = request(post({ body: body('ping') }), { x: 1 })
    expect(made.body).toBe('ping')
    expect(made.headers['content-type']).toBe('text/plain; charset=utf-8')
  })

  test('arguments that a body template does not take are sent nowhere, and those of DELETE in the query', () => {
    const part = post({ body: body({ a: '{{args.a}}' }) })
    expect(request(part, { a: 1, b: 2 })).toMatchObject({
      url: 'https://a.example/',
      body: '{"a":1}',
    })
    expect(request({ ...part, method: 'DELETE' }, { a: 1, b: 2 })).toMatchObject({
      url: 'https://a.example/?b=2',
      body: '{"a":1}',
    })
  })

  test('a form content type without a template takes the arguments as a form', () => {
    const headers = { 'content-type': template('application/x-www-form-urlencoded') }
    const made = request(post({ headers }), { a: ['x', null, { b: 1 }], c: 'ä &', d: null })
    expect(made.body).toBe('a=x&a=%7B%22b%22%3A1%7D&c=%C3%A4+%26')
  })

  test('an argument that a header cannot carry is named, and no other', () => {
    const part = post({ headers: { 'x-u': template('{{args.a}}-{{args.b}}') } })
    const result = draftRequest(part, { a: 'good', b: 'bäd' })
    expect(result.ok ? [] : result.error.faults).toEqual([
      {
        pointer: '/b',
        message:
          'goes into the header x-u, which takes 8000 characters of visible ASCII on one line, no space at its ends',
      },
    ])
  })

  test.each([[' x'], ['x '], ['\t']])(
    'a header value with white space at an end (%j) is refused',
    (a) => {
      const result = draftRequest(post({ headers: { 'x-u': template('{{args.a}}') } }), { a })
      expect(result.ok ? [] : result.error.faults?.map(({ pointer }) => pointer)).toEqual(['/a'])
    },
  )
})

describe('templates that repeat arguments', () => {
  const thrice = '{{args.x}}{{args.x}}{{args.x}}'
  const made = (more: Partial<Part>, chars: number) =>
    draftRequest(skill('https://a.example/', { method: 'POST', ...more }), { x: 'x'.repeat(chars) })
  const detail = (more: Partial<Part>, chars: number) => {
    const result = made(more, chars)
    return result.ok ? undefined : result.error.detail
  }

  test('a header from a template has 8000 characters and not one more', () => {
    const more = { headers: { 'x-a': template(`${thrice}12`) } }
    expect(detail(more, 2666)).toBeUndefined()
    expect(detail({ headers: { 'x-a': template(`${thrice}123`) } }, 2666)).toMatch(
      /^The arguments do not make a request: \/x goes into the header x-a, which takes 8000 characters/,
    )
  })

  test('a URL from a template is judged before it is made', () => {
    const many = Object.fromEntries(
      Array.from({ length: 32 }, (_, i) => [`q${i}`, template('-{{args.x}}'.repeat(90))]),
    )
    expect(detail({ query: many }, 1_000_000)).toBe(
      'The arguments do not make a request: They make a URL of over 8000 characters; shorten them.',
    )
  })

  test('a header from a template is judged before it is made', () => {
    // Once filled, the template would be longer than a JavaScript string can be.
    const more = { headers: { 'x-a': template('{{args.x}}'.repeat(600)) } }
    expect(detail(more, 1_000_000)).toContain('/x goes into the header x-a')
  })

  test('a body from a template takes 2,000,000 characters of arguments and not one more', () => {
    const more = { body: body({ a: '{{args.x}}', b: ['{{args.y}}'] }) }
    const both = (y: number) =>
      draftRequest(skill('https://a.example/', { method: 'POST', ...more }), {
        x: 'x'.repeat(1_000_000),
        y: 'y'.repeat(y),
      })
    expect(both(1_000_000).ok).toBe(true)
    const refused = both(1_000_001)
    expect(refused.ok ? '' : refused.error.detail).toBe(
      'The arguments do not make a request: They make a body of over 2000000 characters; shorten them.',
    )
    expect(detail({ body: body('{{args.x}}'.repeat(20_000)) }, 1_000_000)).toContain('2000000')
  })
})

describe('secrets', () => {
  const get = (more: Partial<Part>) => skill('https://a.example/', more)
  const S = { KEY: 's3cret', LOGIN: 'ann:pw' }

  test.each<[string, Partial<Part>, string, string]>([
    ['bearer', { auth: { type: 'bearer', secret: 'KEY' } }, 'authorization', 'Bearer s3cret'],
    [
      'basic with a user name',
      { auth: { type: 'basic', secret: 'KEY', username: 'ann' } },
      'authorization',
      'Basic YW5uOnMzY3JldA==',
    ],
    [
      'basic of user:password',
      { auth: { type: 'basic', secret: 'LOGIN', username: undefined } },
      'authorization',
      'Basic YW5uOnB3',
    ],
    ['a header', { auth: { type: 'header', secret: 'KEY', name: 'x-key' } }, 'x-key', 's3cret'],
    [
      'a header template',
      { headers: { 'x-key': template('k={{secrets.KEY}}') } },
      'x-key',
      'k=s3cret',
    ],
  ])('go into the header of %s, which is marked', (_, part, header, value) => {
    const sent = request(get(part), {}, S)
    expect(sent.headers[header]).toBe(value)
    expect(sent.sensitive).toEqual({ headers: [header], query: false, body: false })
  })

  test('go into the query, encoded, and the draft shows none', () => {
    const part = get({ auth: { type: 'query', secret: 'KEY', name: 'k' } })
    expect(draft(part, {}).url).toBe('https://a.example/')
    const sent = request(part, { q: '1' }, { KEY: 'a&b' })
    expect(sent.url).toBe('https://a.example/?k=a%26b&q=1')
    expect(sent.sensitive).toEqual({ headers: [], query: true, body: false })
  })

  test('go into a body', () => {
    const part = skill('https://a.example/', {
      method: 'POST',
      body: body({ k: '{{secrets.KEY}}' }),
    })
    const sent = request(part, {}, S)
    expect(sent.body).toBe('{"k":"s3cret"}')
    expect(sent.sensitive).toEqual({ headers: [], query: false, body: true })
  })

  test('that do not fit a header are named, not shown', () => {
    const part = get({ auth: { type: 'bearer', secret: 'KEY' } })
    const completed = draft(part, {}).complete(new Map([['KEY', 'line one\nline two']]))
    expect(completed).toEqual({
      ok: false,
      error: {
        secret: 'KEY',
        detail:
          'secret KEY: cannot be sent in the header authorization, which takes 8000 characters of visible ASCII; set it again',
      },
    })
  })

  test.each([
    ['Bearer {{secrets.KEY}}', 'Bearer s3cret'],
    ['{{secrets.KEY}} {{args.x}}', 's3cret 1'],
  ])('at an end of the header %s are sent', (text, value) => {
    const part = get({ headers: { authorization: template(text) } })
    expect(request(part, { x: 1 }, S).headers['authorization']).toBe(value)
  })

  test('that make a URL too long are named', () => {
    const part = get({ query: { a: template('{{secrets.KEY}}{{secrets.KEY}}') } })
    const secret = (chars: number) => new Map([['KEY', 's'.repeat(chars)]])
    // https://a.example/?a= has 21 characters.
    expect(draft(part, { b: 'xx' }).complete(secret(3987)).ok).toBe(true)
    expect(draft(part, { b: 'xxx' }).complete(secret(3987))).toEqual({
      ok: false,
      error: {
        secret: 'KEY',
        detail: 'secret KEY: cannot be sent in a URL, which takes 8000 characters; set it again',
      },
    })
  })

  test('are spelled as their place needs it', () => {
    const post = (type: string, text: string) =>
      request(
        skill('https://a.example/', {
          method: 'POST',
          headers: { 'content-type': template(type) },
          body: body(text),
        }),
        {},
        { KEY: 'a&"<b' },
      ).body
    expect(post('application/x-www-form-urlencoded', 'k={{secrets.KEY}}')).toBe('k=a%26%22%3Cb')
    expect(post('application/json', '{"k":{{secrets.KEY}}}')).toBe('{"k":"a&\\"<b"}')
    expect(post('text/xml', '<k>{{secrets.KEY}}</k>')).toBe('<k>a&#38;&#34;&#60;b</k>')
  })

  test('are never taken from an argument', () => {
    const part = get({ headers: { 'x-a': template('{{args.x}}') } })
    expect(request(part, { x: '{{secrets.KEY}}' }, S).headers['x-a']).toBe('{{secrets.KEY}}')
  })
})

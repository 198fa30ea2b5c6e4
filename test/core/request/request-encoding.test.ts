/**
 * Whatever the arguments are, a request goes where its skill says: same scheme, host and port, no
 * segment and no query pair more or less than the author wrote. Compared with `new URL`, which is
 * what the adapter sends by.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../core/json/json.ts'
import { draftRequest } from '../../../core/request/draft-request.ts'
import { body, type Part, skill, template } from './parts.ts'

/** Every way in which an endpoint may have placeholders. */
const ENDPOINTS = [
  'https://a.example/{a}',
  'https://a.example/{a}/',
  'https://a.example/v1/{a}/end',
  'https://a.example/v1/{a}{b}/end',
  'https://a.example/v1/{a}.{b}/end',
  'https://a.example/v1/.{a}',
  'https://a.example/v1/..{a}/end',
  'https://a.example/v1/%2e{a}/end',
  'https://a.example/v1/%2E%2e{a}/end',
  'https://a.example/v1/x-{a}-y/{b}',
  'https://a.example/v1/ä/{a}',
  'https://a.example//{a}//',
  'https://a.example/v1/;{a};/end',
  'https://a.example/v1/@{a}:80/end',
  'https://a.example/v1/{a}?q={b}',
  'https://a.example/?q={a}&r={b}',
  'https://a.example?q={a}',
  'https://a.example:8443/{a}?q=x{b}y&fixed=1',
  'http://127.0.0.1:8787/{a}/{b}',
  'https://xn--bcher-kva.example/{a}',
  'https://[2001:db8::1]/{a}',
] as const

const HOSTILE = [
  '',
  '.',
  '..',
  '...',
  '%2e',
  '%2e%2e',
  '%2E.',
  '/',
  '//evil.example',
  '//evil.example/x',
  '\\evil.example',
  '../../etc/passwd',
  '..%2f..%2f',
  '..;/x',
  '?admin=1',
  '#x',
  '&admin=1',
  '=',
  '@evil.example',
  ':8080',
  'https://evil.example/',
  'a b',
  ' ',
  '\t',
  '\r\n',
  'x\r\nHost: evil.example',
  '\u0000',
  '\u0001',
  '\u007f',
  '\u0085\u2028\u2029',
  'ünïcödé',
  '漢字',
  '👩‍👩‍👧‍👦',
  '\u202etxt.exe',
  '\uff0e\uff0e',
  '\u3002',
  '\uff0f',
  '\ud800',
  'a\udc00b',
  '+',
  '%',
  '%zz',
  '%00',
  '{a}',
  '{{args.b}}',
  '{{secrets.KEY}}',
  '$&',
  "$'",
  '__proto__',
] as const

const SECRET = 'S3cr3t/?#&=%'

const text = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom('.', '/', '\\', '%', '2', 'e', '?', '#', '@', ':', '\n', ' '),
  }),
)
const value = fc.oneof(
  text,
  fc.double(),
  fc.boolean(),
  fc.array(text, { maxLength: 3 }),
  fc.dictionary(text, text, { maxKeys: 3 }),
  fc.constant(null),
)

/**
 * The parts of an endpoint with the harmless arguments A and B; other arguments must not change
 * them.
 */
function shapeOf(endpoint: string) {
  return outlineOf(new URL(endpoint.replaceAll('{a}', 'A').replaceAll('{b}', 'B')))
}

function outlineOf({ hash, origin, password, pathname, searchParams, username }: URL) {
  const segments = pathname.split('/').length
  return { origin, user: username + password, hash, segments, names: [...searchParams.keys()] }
}

/** With a secret in the query; undefined where the arguments were refused. */
function urlOf(part: Part, args: JsonObject): URL | undefined {
  const draft = draftRequest(part, args)
  if (!draft.ok) return undefined
  const made = draft.value.complete(new Map([['KEY', SECRET]]))
  return made.ok ? new URL(made.value.url) : undefined
}

/** False where the arguments were refused. */
function holds(endpoint: string, args: JsonObject): boolean {
  const auth = { type: 'query', secret: 'KEY', name: 'key' } as const
  const url = urlOf(skill(endpoint, { method: 'POST', auth }), args)
  if (url === undefined) return false
  const shape = shapeOf(endpoint)
  expect({
    ...outlineOf(url),
    key: url.searchParams.get('key'),
    isSecretInPath: decodeURIComponent(url.pathname).includes(SECRET),
  }).toEqual({
    ...shape,
    names: [...shape.names, 'key'],
    key: SECRET,
    isSecretInPath: false,
  })
  return true
}

describe.each(ENDPOINTS)('%s', (endpoint) => {
  test('the request goes where its endpoint says with each argument of the corpus', () => {
    const refused = new Set<string>()
    for (const a of HOSTILE) {
      if (!holds(endpoint, { a, b: a })) refused.add(a)
      for (const b of ['', '.', '/']) holds(endpoint, { a, b })
    }
    // Only these arguments could leave their segment; those that cannot are sent too.
    expect(['', '.', '..']).toEqual(expect.arrayContaining([...refused]))
  })

  test('the request goes where its endpoint says with any value', () => {
    fc.assert(
      fc.property(value, value, (a, b) => {
        holds(endpoint, { a, b })
      }),
      { seed: 6, numRuns: 100 },
    )
  })
})

/** The one segment or value that stands where a placeholder was. */
test('an argument arrives whole, in its place and nowhere else', () => {
  const part = skill('https://a.example/v1/{a}/end?q={b}&fixed=1', { method: 'POST' })
  fc.assert(
    fc.property(text, text, (a, b) => {
      const url = urlOf(part, { a, b })
      if (url === undefined) {
        expect(['', '.', '..']).toContain(a)
        return
      }
      expect(url.pathname.split('/').map(decodeURIComponent)).toEqual([
        '',
        'v1',
        a.toWellFormed(),
        'end',
      ])
      expect([...url.searchParams]).toEqual([
        ['q', b.toWellFormed()],
        ['fixed', '1'],
      ])
    }),
    { seed: 6, numRuns: 300 },
  )
})

test('arguments that go to the query arrive whole, each under its own name', () => {
  fc.assert(
    fc.property(fc.dictionary(text, value, { maxKeys: 4 }), (args) => {
      const part = skill('https://a.example/x?fixed=1', {
        query: { t: template('<{{args.a}}>') },
      })
      const url = urlOf(part, args)
      if (url === undefined) return
      expect(url.origin + url.pathname).toBe('https://a.example/x')
      const names = [...url.searchParams.keys()]
      expect(names.slice(0, 2)).toEqual(['fixed', 't'])
      expect(url.searchParams.getAll('fixed')).toEqual(['1'])
      const own = new Set(Object.keys(args).map((name) => name.toWellFormed()))
      for (const name of names.slice(2)) expect(own).toContain(name)
    }),
    { seed: 6, numRuns: 300 },
  )
})

describe('a body template', () => {
  const post = (type: string, value: string | JsonObject) =>
    skill('https://a.example/', {
      method: 'POST',
      headers: { 'content-type': template(type) },
      body: body(value),
    })
  const sent = (part: Part, args: JsonObject) => {
    const draft = draftRequest(part, args)
    const made = draft.ok ? draft.value.complete(new Map([['KEY', SECRET]])) : draft
    if (!made.ok) throw new Error(made.error.detail)
    return String(made.value.body ?? '')
  }

  test('an argument stays one value of JSON', () => {
    const part = post('application/json', '{"a":{{args.a}},"list":[{{args.b}},{{secrets.KEY}}]}')
    fc.assert(
      fc.property(text, value, (a, b) => {
        const parsed: unknown = JSON.parse(sent(part, { a, b }))
        expect(parsed).toEqual({ a, list: [JSON.parse(JSON.stringify(b)), SECRET] })
      }),
      { seed: 6, numRuns: 300 },
    )
  })

  test('an argument stays one value of a form', () => {
    const part = post('application/x-www-form-urlencoded', 'a={{args.a}}&k={{secrets.KEY}}&b=1')
    const members = post('application/x-www-form-urlencoded', { a: '{{args.a}}', b: 1 })
    fc.assert(
      fc.property(text, (a) => {
        expect([...new URLSearchParams(sent(part, { a }))]).toEqual([
          ['a', a.toWellFormed()],
          ['k', SECRET],
          ['b', '1'],
        ])
        expect([...new URLSearchParams(sent(members, { a }))]).toEqual([
          ['a', a.toWellFormed()],
          ['b', '1'],
        ])
      }),
      { seed: 6, numRuns: 300 },
    )
  })

  test('an argument opens and closes nothing in XML', () => {
    const part = post('text/xml', '<a b="{{args.a}}">{{args.a}}</a>')
    fc.assert(
      fc.property(text, (a) => {
        const made = sent(part, { a })
        expect(made.match(/[<>"']/g)?.join('')).toBe('<"">' + '<>')
        expect(made.replace(/&#\d+;/g, '')).not.toContain('&')
      }),
      { seed: 6, numRuns: 300 },
    )
  })
})

test('no header takes a second line, whatever the argument', () => {
  const part = skill('https://a.example/', {
    headers: { 'x-a': template('v={{args.a}}'), 'x-b': template('{{args.a}}') },
  })
  fc.assert(
    fc.property(value, (a) => {
      const draft = draftRequest(part, { a })
      const made = draft.ok ? draft.value.complete(new Map()) : draft
      if (!made.ok) return
      expect(Object.keys(made.value.headers)).not.toContain('host')
      for (const header of Object.values(made.value.headers)) {
        expect(header).toMatch(/^[\t\x20-\x7e]*$/)
      }
    }),
    { seed: 6, numRuns: 300 },
  )
})

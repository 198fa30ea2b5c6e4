/**
 * What an author fixed reaches the upstream once and unchanged, whatever an object argument contains. The
 * readers are node's URLSearchParams and qs, which reads names as PHP and Rails do.
 */
import fc from 'fast-check'
import qs from 'qs'
import { describe, expect, test } from 'vitest'
import type { UpstreamRequest } from '../../../core/call/upstream.ts'
import type { JsonObject } from '../../../core/json/json.ts'
import { draftRequest } from '../../../core/request/draft-request.ts'
import { type ArgumentPlace, STYLES_IN } from '../../../core/skills/definition/argument-place.ts'
import { findBodyEncoding } from '../../../core/skills/definition/body-encoding.ts'
import { inner, object } from '../call/hostile-members.ts'
import { type Part, skill, template } from './parts.ts'

const place = (more: Partial<ArgumentPlace>): ArgumentPlace => ({
  argument: 'f',
  in: 'query',
  name: 'f',
  style: 'form',
  explode: true,
  reserved: false,
  ...more,
})
const TENANT = { type: 'string', enum: ['acme'] }
const parameters = { type: 'object', properties: { tenant: TENANT, f: { type: 'object' } } }

/** The request, or the faults of the arguments. */
function sent(part: Part, args: JsonObject): UpstreamRequest | readonly string[] {
  const draft = draftRequest(part, args)
  if (!draft.ok) {
    expect(draft.error.code).toBe('invalid_arguments')
    return (draft.error.faults ?? []).map(({ message, pointer }) => `${pointer} ${message}`)
  }
  const request = draft.value.complete(new Map([['KEY', 'own-key']]))
  if (!request.ok) throw new Error(request.error.detail)
  return request.value
}

const QS_OPTIONS = [
  {},
  { allowDots: true },
  { depth: 1 },
  { comma: true },
  { duplicates: 'last' },
] as const

/** Both readers find one pair of the name, with the author's value. */
function expectOnce(text: string, name: string, value: string): void {
  expect(new URLSearchParams(text).getAll(name)).toEqual([value])
  for (const options of QS_OPTIONS) expect(qs.parse(text, options)[name]).toBe(value)
}

const PAIR_STYLES = STYLES_IN.query.flatMap((style) =>
  [true, false].map((explode): [ArgumentPlace['style'], boolean] => [style, explode]),
)
const numRuns = { seed: 95, numRuns: 60 }

describe.each(PAIR_STYLES)(
  'an object argument in the style %s with explode %s',
  (style, explode) => {
    test('an object in the query leaves the pairs of endpoint, query and auth as the author fixed them', () => {
      const part = skill('https://a.example/x?tenant=acme', {
        parameters,
        places: [place({ style, explode })],
        query: { owner: template('us'), note: template('{{args.note}}') },
        auth: { type: 'query', secret: 'KEY', name: 'api_key' },
      })
      fc.assert(
        fc.property(object, inner, (filter, note) => {
          const request = sent(part, { f: filter, note })
          if (!('url' in request)) return
          const { search } = new URL(request.url)
          expectOnce(search.slice(1), 'tenant', 'acme')
          expectOnce(search.slice(1), 'owner', 'us')
          expectOnce(search.slice(1), 'api_key', 'own-key')
        }),
        numRuns,
      )
    })

    test('an object in the query never stands for an argument of the schema', () => {
      const part = skill('https://a.example/x', { parameters, places: [place({ style, explode })] })
      fc.assert(
        fc.property(object, (filter) => {
          const request = sent(part, { f: filter, tenant: 'acme' })
          if ('url' in request) expectOnce(new URL(request.url).search.slice(1), 'tenant', 'acme')
        }),
        numRuns,
      )
    })

    test('an object in a form leaves the other arguments and the pairs of the query as they are', () => {
      const part = skill('https://a.example/x?site=1', {
        method: 'POST',
        parameters,
        bodyAs: 'form',
        places: [place({ in: 'body', style, explode })],
      })
      fc.assert(
        fc.property(object, (filter) => {
          const request = sent(part, { f: filter, tenant: 'acme' })
          if (!('url' in request)) return
          expectOnce(String(request.body), 'tenant', 'acme')
          expect(new URLSearchParams(String(request.body)).has('site')).toBe(false)
        }),
        numRuns,
      )
    })
  },
)

const PATH_STYLES = STYLES_IN.path.flatMap((style) =>
  [true, false].map((explode): [ArgumentPlace['style'], boolean] => [style, explode]),
)

test.each(PATH_STYLES)(
  'an object argument in a path in the style %s with explode %s adds no matrix parameter that the author fixed',
  (style, explode) => {
    const part = skill('https://a.example/x;tenant=acme/y{f}', {
      parameters,
      places: [place({ in: 'path', style, explode })],
    })
    fc.assert(
      fc.property(object, (filter) => {
        const request = sent(part, { f: filter })
        if (!('url' in request)) return
        const pairs = new URL(request.url).pathname
          .split(/[/;,.]/)
          .filter((one) => one.includes('='))
        const named = pairs.filter((one) =>
          /^tenant$/i.test(decodeURIComponent(one.split('=')[0] ?? '')),
        )
        expect(named).toEqual(['tenant=acme'])
      }),
      numRuns,
    )
  },
)

test.each([
  ['a query', { endpoint: 'https://a.example/x?tenant=acme' }],
  ['the query of the skill', { query: { tenant: template('acme') } }],
  [
    'a form',
    {
      method: 'POST' as const,
      headers: { 'content-type': template('application/x-www-form-urlencoded') },
    },
  ],
])('arguments that no schema names leave what stands in %s', (_where, more) => {
  const part = skill('https://a.example/x', {
    parameters: { type: 'object', properties: { tenant: TENANT } },
    ...more,
  })
  const isForm = findBodyEncoding(part.headers['content-type']) === 'form'
  fc.assert(
    fc.property(object, (args) => {
      const request = sent(part, isForm ? { ...args, tenant: 'acme' } : args)
      if (!('url' in request)) return
      const text = isForm ? String(request.body) : new URL(request.url).search.slice(1)
      expectOnce(text, 'tenant', 'acme')
    }),
    numRuns,
  )
})

test('arguments that no schema names are no member of a JSON body, and no part, that another argument fills', () => {
  for (const bodyAs of ['json', 'multipart'] as const) {
    const part = skill('https://a.example/x', {
      method: 'POST',
      parameters: { type: 'object', properties: { owner: { type: 'string' } } },
      bodyAs,
      places: [place({ in: 'body', argument: 'owner', name: 'tenant' })],
    })
    expect(sent(part, { owner: 'acme', tenant: 'evil' })).toEqual([
      '/tenant would be sent as "tenant", a name of the argument owner; leave it out',
    ])
    expect(sent(part, { owner: 'acme', Tenant: 'evil' })).toEqual([
      '/Tenant would be sent as "Tenant", a name of the argument owner; leave it out',
    ])
    expect(sent(part, { owner: 'acme', more: 'x' })).toHaveProperty('method', 'POST')
  }
})

describe('an object argument', () => {
  test.each<[string, Part, JsonObject, string]>([
    [
      'beside a fixed member of the same deepObject',
      skill('https://a.example/x', {
        query: { 'filter[owner]': template('us') },
        places: [place({ argument: 'filter', name: 'filter', style: 'deepObject' })],
      }),
      { filter: { owner: 'evil' } },
      '/filter/owner would be sent as "filter[owner]", which this tool sets itself; leave it out',
    ],
    [
      'that is a text and would replace fixed members of its name',
      skill('https://a.example/x', {
        query: { 'filter[owner]': template('us') },
        places: [place({ argument: 'filter', name: 'filter' })],
      }),
      { filter: 'evil' },
      '/filter would be sent as "filter", which this tool sets itself; leave it out',
    ],
    [
      'beside a place that another argument has in it',
      skill('https://a.example/x', {
        places: [place({ style: 'deepObject' }), place({ argument: 'owner', name: 'f[owner]' })],
      }),
      { f: { Owner: 'evil' }, owner: 'us' },
      '/f/Owner would be sent as "f[Owner]", a name of the argument owner; leave it out',
    ],
    [
      'whose schema names a member that another spelling would replace',
      skill('https://a.example/x', {
        parameters: { properties: { f: { properties: { tenant: TENANT } } } },
        places: [place({})],
      }),
      { f: { tenant: 'acme', 'tenant[]': 'evil' } },
      '/f/tenant[] would be sent as "tenant[]", a name of the argument f; leave it out',
    ],
    [
      'beside another object that has the same member',
      skill('https://a.example/x', { places: [place({}), place({ argument: 'g', name: 'g' })] }),
      { f: { a: 1 }, g: { 'a[]': 2 } },
      '/f/a would be sent as "a", a name of the argument g; leave it out',
    ],
    [
      'in a matrix that the author began',
      skill('https://a.example/x;ten%61nt=acme/{f}', {
        places: [place({ in: 'path', style: 'matrix' })],
      }),
      { f: { tenant: 'evil' } },
      '/f/tenant would be sent as "tenant", which this tool sets itself; leave it out',
    ],
    [
      'in a form whose query has the name',
      skill('https://a.example/x?tenant=acme', {
        method: 'POST',
        bodyAs: 'form',
        places: [place({ in: 'body', name: '' })],
      }),
      { f: { tenant: 'evil' } },
      '/f/tenant would be sent as "tenant", which this tool sets itself; leave it out',
    ],
    [
      'that is the whole JSON body and has a member of an argument without a place',
      skill('https://a.example/x', {
        method: 'POST',
        parameters,
        bodyAs: 'json',
        places: [place({ in: 'body', name: '' })],
      }),
      { f: { Tenant: 'evil' }, tenant: 'acme' },
      '/f/Tenant would be sent as "Tenant", a name of the argument tenant; leave it out',
    ],
    [
      'in a header under a name that the author fixed',
      skill('https://a.example/x', {
        headers: { 'x-tenant': template('acme') },
        places: [place({ in: 'header', name: 'x_tenant', style: 'simple' })],
      }),
      { f: 'evil' },
      '/f would be sent as "x_tenant", which this tool sets itself; leave it out',
    ],
    [
      'in the header of the credential',
      skill('https://a.example/x', {
        auth: { type: 'header', secret: 'KEY', name: 'x-key' },
        places: [place({ in: 'header', name: 'x-key', style: 'simple' })],
      }),
      { f: 'evil' },
      '/f would be sent as "x-key", which this tool sets itself; leave it out',
    ],
  ])('%s is refused', (_what, part, args, fault) => {
    const faults = sent(part, args)
    expect(Array.isArray(faults) ? faults[0] : faults).toBe(fault)
  })

  test('may have members whose names the schema of the whole skill leaves free', () => {
    const part = skill('https://a.example/x?tenant=acme', { parameters, places: [place({})] })
    expect(sent(part, { f: { status: 'open', 'range[from]': 1, tenants: 2 } })).toMatchObject({
      url: 'https://a.example/x?tenant=acme&status=open&range%5Bfrom%5D=1&tenants=2',
    })
  })
})

test('arguments make 10,000 pairs of a form, and one more is refused', () => {
  const part = skill('https://a.example/x', {
    method: 'POST',
    bodyAs: 'form',
    places: [place({ in: 'body' })],
  })
  const members = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]))
  expect(sent(part, { f: members(10_000) })).toHaveProperty('method', 'POST')
  expect(sent(part, { f: members(10_001) })).toEqual([' make over 10000 pairs; send fewer members'])
})

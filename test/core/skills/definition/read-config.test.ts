/** What `config` may hold besides its endpoint and auth; the limits are in read-skill.test.ts. */
import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../../core/json/json.ts'
import { isRunnable } from '../../../../core/skills/definition/read-skill.ts'
import { faults, good, withConfig, withMeta } from '../reading.ts'

const warnings = (definition: Json) => good(definition).warnings
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }

describe('templates of a skill', () => {
  test('templates are read in headers, query and body, and make the skill no less runnable', () => {
    const { skill } = good(
      withConfig({
        method: 'POST',
        headers: { 'X-City': '{{args.city}}', Authorization: 'Token {{secrets.KEY}}' },
        query: { city: 'in-{{args.city}}' },
        body: { city: '{{args.city}}' },
      }),
    )
    expect(isRunnable(skill)).toBe(true)
    expect(skill).toMatchObject({
      headers: {
        'x-city': [{ kind: 'arg', name: 'city' }],
        authorization: [
          { kind: 'text', text: 'Token ' },
          { kind: 'secret', name: 'KEY' },
        ],
      },
      query: {
        city: [
          { kind: 'text', text: 'in-' },
          { kind: 'arg', name: 'city' },
        ],
      },
      body: {
        kind: 'object',
        members: [['city', { kind: 'text', template: [{ kind: 'arg', name: 'city' }] }]],
      },
      bodyEncoding: undefined,
      notYet: [],
    })
  })

  test.each<[JsonObject, string]>([
    [{ headers: { 'x-a': '{{city}}' } }, '/config/headers/x-a has the placeholder {{city}}; write'],
    [{ query: { 'a/b': '{{args.a' } }, '/config/query/a~1b has a placeholder that lacks a brace'],
    [{ query: { '{{args.a}}': '1' } }, '/config/query/{{args.a}} has a placeholder in a name'],
    [
      { method: 'POST', body: { a: [{ b: '{{secrets.key}}' }] } },
      '/config/body/a/0/b has the placeholder {{secrets.key}}',
    ],
  ])('the template %j is refused', (config, expected) => {
    expect(faults(withConfig(config))).toEqual([expect.stringContaining(expected)])
  })

  test('a place without a parameter gives a warning', () => {
    expect(
      warnings(
        withConfig({
          method: 'POST',
          headers: { 'x-a': '{{args.a}}' },
          query: { b: '{{ args.b }}' },
          body: ['{{args.c}}', '{{args.city}}'],
        }),
      ),
    ).toEqual([
      '/config: {{args.a}} is not among the parameters',
      '/config: {{args.b}} is not among the parameters',
      '/config: {{args.c}} is not among the parameters',
    ])
  })
})

describe('a place inside an argument', () => {
  const PARAMETERS = {
    type: 'object',
    properties: {
      range: { type: 'object', properties: { from: { type: 'string' } } },
      stops: { type: 'array', items: {} },
      any: true,
    },
  }
  const warned = (query: JsonObject) =>
    warnings({ ...withConfig({ query }), meta: withMeta({ parameters: PARAMETERS }).meta })

  test('gives no warning when the schema has it, or names no members', () => {
    const query = { a: '{{args.range.from}}', b: '{{args.stops.0.city}}', c: '{{args.any.x}}' }
    expect(warned(query)).toEqual([])
  })

  test('gives a warning when the schema has other members, or no such parameter', () => {
    expect(warned({ a: '{{args.range.till}}', b: '{{args.city.name}}' })).toEqual([
      '/config: {{args.range.till}} is not among the parameters',
      '/config: {{args.city.name}} is not among the parameters',
    ])
  })

  test('counts as a place for the whole parameter: no warning says that it is sent nowhere', () => {
    const config = {
      method: 'POST',
      body: { f: '{{args.range.from}}', s: '{{args.stops}}', a: '{{args.any}}' },
    }
    expect(
      warnings({ ...withConfig(config), meta: withMeta({ parameters: PARAMETERS }).meta }),
    ).toEqual([])
  })
})

describe('headers', () => {
  test('of one name in two spellings are refused', () => {
    expect(faults(withConfig({ headers: { 'X-A': '1', 'x-a': '2' } }))).toEqual([
      '/config/headers/x-a is given twice (case does not count); keep one',
    ])
  })

  test.each([['{{args.type}}'], ['text/{{secrets.KIND}}']])(
    'a content type of %s is refused: it decides how arguments are spelled',
    (type) => {
      expect(faults(withConfig({ headers: { 'Content-Type': type } }))).toEqual([
        '/config/headers/Content-Type must be fixed; write it without placeholders',
      ])
    },
  )

  test.each([['Bearer {{secrets.KEY}}'], ['Bearer {{args.city}}']])(
    'the authorization %s is not in the clear',
    (authorization) => {
      expect(warnings(withConfig({ headers: { authorization } }))).toEqual([])
    },
  )
})

describe('the body', () => {
  test.each([['GET'], ['HEAD']])('does not go with %s', (method) => {
    expect(faults(withConfig({ method, body: {} }))).toEqual([
      `/config/body does not go with ${method}; use query, or another method`,
    ])
  })

  test('goes with DELETE, and null is none', () => {
    expect(good(withConfig({ method: 'DELETE', body: [] })).skill.body).toEqual({
      kind: 'fixed',
      value: [],
    })
    expect(good(withConfig({ body: null })).skill.body).toBeUndefined()
  })

  test.each<[string | undefined, string | undefined]>([
    [undefined, undefined],
    ['application/json; charset=utf-8', 'json'],
    ['Application/Problem+JSON', 'json'],
    ['text/json', 'json'],
    ['application/x-www-form-urlencoded', 'form'],
    ['text/xml', 'xml'],
    ['application/soap+xml;charset=utf-8', 'xml'],
    ['text/html', 'xml'],
    ['text/csv', 'text'],
  ])('of content type %s is spelled as %s', (type, encoding) => {
    const headers = type === undefined ? {} : { 'content-type': type }
    expect(good(withConfig({ method: 'POST', headers })).skill.bodyEncoding).toBe(encoding)
  })

  test.each<[string, Json, string]>([
    [
      'application/json',
      '{"a":"{{args.city}}"}',
      'is not JSON once its placeholders are filled; write placeholders without quotes around them, or the body as JSON',
    ],
    [
      'multipart/form-data; boundary=x',
      '--x\r\n\r\n{{args.city}}\r\n--x--',
      'has placeholders in a multipart text, where an argument could end its part; use a form or JSON',
    ],
    [
      'text/xml',
      { city: '{{args.city}}' },
      'is JSON, and the content-type header says otherwise; make them fit',
    ],
    [
      'application/x-www-form-urlencoded',
      ['{{args.city}}'],
      'must be an object or a text to be sent as a form',
    ],
  ])('a body of %s with %j could be left by an argument', (type, body, expected) => {
    const config = { method: 'POST', headers: { 'content-type': type }, body }
    expect(faults(withConfig(config))).toEqual([`/config/body ${expected}`])
  })

  test.each<[string, Json]>([
    ['application/json', '{"a":{"b":{{args.city}}}}'],
    ['application/json', '["x",{{secrets.KEY}},{{args.city}}]'],
    ['application/json', '{{args.city}}'],
    ['application/json', 'text without places is the author’s own'],
    ['application/x-www-form-urlencoded', 'a={{args.city}}&b=1'],
    ['application/x-www-form-urlencoded', { a: '{{args.city}}', fixed: 1 }],
    ['application/x-www-form-urlencoded', { fixed: 1 }],
    ['multipart/form-data; boundary=x', '--x--'],
    ['application/vnd.api+json', { a: ['{{args.city}}'] }],
    ['application/x-amz-json-1.0', { a: ['{{args.city}}'] }],
    ['application/x-amz-json-1.1', '{"a":{{args.city}}}'],
    ['text/csv', 'city\n{{args.city}}'],
  ])('a body of %s with %j is accepted', (type, body) => {
    const config = { method: 'POST', headers: { 'content-type': type }, body }
    expect(faults(withConfig(config))).toEqual([])
  })

  test('without a place for a parameter gives a warning that it is sent nowhere', () => {
    const parameters = { type: 'object', properties: { city: {}, unit: {}, id: {}, lang: {} } }
    const config = {
      endpoint: 'https://a.example/{id}',
      method: 'PUT',
      query: { l: '{{args.lang}}' },
      body: { city: '{{args.city}}' },
    }
    const definition = { ...withMeta({ parameters }), config }
    expect(warnings(definition)).toEqual([
      '/config/body: has no placeholder for the parameter unit, which is sent nowhere',
    ])
    expect(warnings({ ...definition, config: { ...config, method: 'DELETE' } })).toEqual([])
  })

  test('as a form is an object, not only a fixed one', () => {
    const config = { method: 'POST', headers: FORM, body: 7 }
    expect(faults(withConfig(config))).toHaveLength(1)
  })
})

describe('a hook', () => {
  test.each([['hmac_sha256_signature'], ['html_to_markdown'], ['oauth2_client_credentials']])(
    'the hook %s is known, and its options are kept as they are',
    (plugin_hook) => {
      const { skill } = good(withConfig({ plugin_hook, plugin_options: { a: [1] } }))
      expect(skill).toMatchObject({
        hooks: [{ name: plugin_hook, options: { a: [1] }, optionsAt: '/config/plugin_options' }],
      })
      expect(isRunnable(skill)).toBe(true)
    },
  )

  test('that this build does not know keeps the skill, unlisted, with a warning', () => {
    const value = good(withConfig({ plugin_hook: 'sing' }))
    expect(value.skill.notYet).toEqual(['/config/plugin_hook: no hook sing'])
    expect(isRunnable(value.skill)).toBe(false)
    expect(value.definition['config']).toMatchObject({ plugin_hook: 'sing' })
    expect(value.warnings).toEqual([
      '/config/plugin_hook: no hook sing in this build; the skill is kept, not listed, and calls are refused without charge',
    ])
  })

  test('options alone give a warning; options other than an object are refused', () => {
    expect(warnings(withConfig({ plugin_options: {} }))).toEqual([
      '/config/plugin_options: there is no plugin_hook that would use it',
    ])
    expect(faults(withConfig({ plugin_options: 'x' }))).toEqual([
      '/config/plugin_options is not an object; send { … }',
    ])
  })
})

describe('the response', () => {
  test.each<[Json, string, string | undefined]>([
    [{}, 'auto', undefined],
    [{ as: 'mcp' }, 'mcp', undefined],
    [{ as: 'json', pick: '/a~1b/0/~0' }, 'json', '/a~1b/0/~0'],
    [{ pick: '' }, 'auto', undefined],
    [{ pick: null }, 'auto', undefined],
    [{ pick: '/' }, 'auto', '/'],
  ])('settings %j are read', (response, as, pick) => {
    expect(good(withConfig({ response })).skill).toMatchObject({
      responseAs: as,
      responsePick: pick,
    })
  })

  const PICK =
    '/config/response/pick must be a JSON Pointer such as /data/items, 512 characters at most'
  test.each<[JsonObject, readonly string[]]>([
    [{ response: 'json' }, ['/config/response is not an object; send { … }']],
    [{ response: { as: 'xml' } }, ['/config/response/as must be one of auto, json, text, mcp']],
    [{ response: { pick: 'data' } }, [PICK]],
    [{ response: { pick: '/a~2' } }, [PICK]],
    [{ response: { pick: ['a'] } }, [PICK]],
    [{ response: { pick: `/${'a'.repeat(512)}` } }, [PICK]],
    [
      { response: { as: 'text', pick: '/a' } },
      ['/config/response/pick does not go with "as": "text"; use json or auto'],
    ],
    [
      { method: 'HEAD', response: { pick: '/a' } },
      ['/config/response needs a body, and an answer to HEAD has none; use GET'],
    ],
    [
      { method: 'HEAD', response: { as: 'mcp' } },
      ['/config/response needs a body, and an answer to HEAD has none; use GET'],
    ],
  ])('settings %j are refused', (config, expected) => {
    expect(faults(withConfig(config))).toEqual(expected)
  })
})

describe('retries', () => {
  test.each([
    ['GET', 2],
    ['HEAD', 2],
    ['PUT', 2],
    ['DELETE', 2],
    ['POST', 0],
    ['PATCH', 0],
  ])('of %s are %i by default', (method, retries) => {
    expect(good(withConfig({ method })).skill.retries).toBe(retries)
  })

  test.each([[0], [1], [2]])('may be %i', (retries) => {
    expect(good(withConfig({ method: 'POST', retries })).skill.retries).toBe(retries)
  })

  test.each([[3], [-1], [0.5], ['1'], [null]])('%j are refused', (retries) => {
    expect(faults(withConfig({ retries }))).toEqual([
      '/config/retries must be a whole number from 0 to 2',
    ])
  })
})

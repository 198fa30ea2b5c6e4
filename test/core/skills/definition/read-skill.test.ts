import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../../core/json/json.ts'
import { isRunnable } from '../../../../core/skills/definition/read-skill.ts'
import { faults, good, MINIMAL, read, withConfig, withMeta } from '../reading.ts'

const withParameters = (parameters: Json) => withMeta({ parameters })

describe('a definition that fits', () => {
  test('becomes a skill with every default filled in', () => {
    expect(good(MINIMAL).skill).toEqual({
      skillId: 'sg_weather',
      source: 'official',
      skillUid: undefined,
      name: 'Weather',
      description: 'Tells the weather.',
      emoji: undefined,
      tags: [],
      parameters: MINIMAL.meta.parameters,
      outputSchema: undefined,
      typicalMs: undefined,
      endpoint: 'https://api.example.com/weather',
      method: 'GET',
      hooks: [],
      auth: undefined,
      headers: {},
      query: {},
      body: undefined,
      bodyEncoding: undefined,
      retries: 2,
      timeoutMs: 14250,
      responseAs: 'auto',
      responsePick: undefined,
      responseBytesMax: 1000000,
      priceMicroCredits: 0,
      notYet: [],
    })
    expect(good(MINIMAL).warnings).toEqual([])
  })

  test('takes a skill with every field that the unified JSON has', () => {
    const { skill } = good({
      ...MINIMAL,
      skill_uid: '5b1c0f9e-2a55-4b8e-9f5e-0d6b3c1a7e01',
      meta: { ...MINIMAL.meta, emoji: '👩‍👩‍👧‍👦', tags: ['a', 'b'] },
      config: {
        ...MINIMAL.config,
        method: 'post',
        timeout_ms: 14250,
        max_response_bytes: 4000000,
        response: { as: 'json' },
        headers: { 'X-Api-Version': '2' },
        query: { units: 'metric' },
      },
      credits_per_call: 0.5,
    })
    expect(skill).toMatchObject({
      skillUid: '5b1c0f9e-2a55-4b8e-9f5e-0d6b3c1a7e01',
      emoji: '👩‍👩‍👧‍👦',
      tags: ['a', 'b'],
      method: 'POST',
      timeoutMs: 14250,
      responseBytesMax: 4000000,
      responseAs: 'json',
      headers: { 'x-api-version': [{ kind: 'text', text: '2' }] },
      query: { units: [{ kind: 'text', text: 'metric' }] },
      priceMicroCredits: 500000,
    })
  })

  test('keeps unknown fields and names them in warnings, but for the $schema that editors read', () => {
    const value = good({
      ...MINIMAL,
      $schema: './skill.schema.json',
      owner: { team: 7 },
      meta: { ...MINIMAL.meta, 'long/name': 1 },
      config: { ...MINIMAL.config, cache: 3, response: { as: 'auto', also: true } },
    })
    expect(value.definition).toMatchObject({ owner: { team: 7 }, $schema: './skill.schema.json' })
    expect(value.definition['config']).toMatchObject({ cache: 3 })
    expect(value.warnings).toEqual([
      '/owner: unknown field; kept and not used',
      '/meta/long~1name: unknown field; kept and not used',
      '/config/cache: unknown field; kept and not used',
      '/config/response/also: unknown field; kept and not used',
    ])
  })

  test('reads back from its stored form with the same result and no warnings', () => {
    const first = good({ ...MINIMAL, id: 'weather', credits_per_call: 1e-6 })
    const again = good(first.definition)
    expect(again.skill).toEqual(first.skill)
    expect(again.definition).toEqual(first.definition)
    expect(again.warnings).toEqual([])
  })

  test('keeps the very parameters object, so that its compiled schema is found again', () => {
    expect(good(MINIMAL).skill.parameters).toBe(MINIMAL.meta.parameters)
  })

  test('is listed without arguments when it has no parameters', () => {
    const { meta, ...rest } = MINIMAL
    const value = good({ ...rest, meta: { name: meta.name, description: meta.description } })
    expect(value.skill.parameters).toEqual({ type: 'object', properties: {} })
    expect(value.warnings).toHaveLength(1)
  })

  test('treats null in optional fields as absent', () => {
    const value = good({
      ...withConfig({ plugin_hook: null, headers: null, auth: null, body: null }),
      skill_uid: null,
    })
    expect(value.skill).toMatchObject({ hooks: [], headers: {}, priceMicroCredits: 0 })
    expect(isRunnable(value.skill)).toBe(true)
  })
})

describe('the price', () => {
  const { credits_per_call: _, ...unpriced } = MINIMAL
  const rule = 'a number from 0 to 10000 with at most 6 decimals; 0 is free'

  test('is refused when it is null, for null makes nothing free', () => {
    expect(faults({ ...MINIMAL, credits_per_call: null })).toEqual([
      `/credits_per_call must be ${rule}`,
    ])
  })

  test('is refused when it is left out', () => {
    expect(faults(unpriced)).toEqual([`/credits_per_call is missing; send ${rule}`])
  })

  test('is 0 when it is given as 0', () => {
    expect(good({ ...MINIMAL, credits_per_call: 0 }).skill.priceMicroCredits).toBe(0)
  })
})

describe('the id', () => {
  test('gets the prefix that it lacks, with a warning', () => {
    const value = good({ ...MINIMAL, id: 'weather' })
    expect(value.skill.skillId).toBe('sg_weather')
    expect(value.definition['id']).toBe('sg_weather')
    expect(value.warnings).toEqual(['/id: lacks the prefix sg_; stored as sg_weather'])
  })

  test.each([
    [undefined, '/id is missing; send a string of 1 to 200 characters such as sg_weather'],
    [7, '/id is not a string; send a string of 1 to 200 characters such as sg_weather'],
    ['', '/id has nothing after the prefix; add a name'],
    ['sg_', '/id has nothing after the prefix; add a name'],
    ['a#b', '/id holds "#", "/" or white space; use letters, digits, _ and -'],
    ['a/b', '/id holds "#", "/" or white space; use letters, digits, _ and -'],
    ['a b', '/id holds "#", "/" or white space; use letters, digits, _ and -'],
    ['a\u0000b', '/id holds U+0000 at character 5, which readers do not see; remove it'],
    ['a\ud800b', '/id holds half a surrogate pair; send well-formed Unicode'],
    ['account', '/id is the name of a built-in tool (sg_account); choose another'],
    ['sg_usage', '/id is the name of a built-in tool (sg_usage); choose another'],
  ])('%j is refused', (id, expected) => {
    const { id: _, ...rest } = MINIMAL
    expect(faults(id === undefined ? rest : { ...rest, id }, 'official')).toEqual([expected])
  })

  test('of a private skill may have 200 characters of nearly any kind, and not 201', () => {
    const id = `sg_${'ü:.'.repeat(65)}ab`
    expect([...id]).toHaveLength(200)
    const { source: _, ...rest } = MINIMAL
    expect(good({ ...rest, id }, 'private').skill.skillId).toBe(id)
    expect(faults({ ...rest, id: `${id}c` }, 'private')).toEqual([
      '/id has over 200 characters; shorten it to 200',
    ])
  })

  test('of a shared skill is its tool name: 64 safe characters, and not 65', () => {
    const id = `sg_${'a'.repeat(61)}`
    expect(good({ ...MINIMAL, id }).skill.skillId).toBe(id)
    expect(faults({ ...MINIMAL, id: `${id}a` })[0]).toMatch(/^\/id has over 64 characters/)
    expect(faults({ ...MINIMAL, id: 'sg_a.b' })[0]).toMatch(
      /^\/id holds characters that tool names/,
    )
  })
})

describe('the source', () => {
  const { source: _, ...noSource } = MINIMAL

  test('comes from the text or from the request', () => {
    expect(good(MINIMAL).skill.source).toBe('official')
    const value = good(noSource, 'market')
    expect(value.skill.source).toBe('market')
    expect(value.definition['source']).toBe('market')
    expect(good(MINIMAL, 'official').skill.source).toBe('official')
  })

  test('must be present, known and the same in both', () => {
    expect(faults(noSource)).toEqual([
      '/source is missing; send one of private, official, market, here or with the request',
    ])
    expect(faults({ ...MINIMAL, source: 'global' })).toEqual([
      '/source is not a tier; send one of private, official, market',
    ])
    expect(faults(MINIMAL, 'private')).toEqual([
      '/source says official, the request says private; leave one of the two out',
    ])
  })
})

describe('faults', () => {
  test('come all at once, each with its place', () => {
    const result = read({
      id: 'sg_x',
      source: 'official',
      skill_uid: 'nope',
      meta: { name: '', description: 7, emoji: 'word', tags: 'a', parameters: { type: 'array' } },
      config: { endpoint: 'ftp://x', method: 'TRACE', timeout_ms: 0, max_response_bytes: 1.5 },
      credits_per_call: -1,
    })
    expect(result.ok).toBe(false)
    if (result.ok) return
    expect(result.error.code).toBe('invalid_skill')
    expect(result.error.detail).toBe(
      'The skill definition has 11 faults: /skill_uid is not a UUID; send 8-4-4-4-12 hexadecimal digits or leave it out.',
    )
    expect(result.error.faults?.map((fault) => fault.pointer)).toEqual([
      '/skill_uid',
      '/meta/name',
      '/meta/description',
      '/meta/emoji',
      '/meta/tags',
      '/meta/parameters/type',
      '/config/endpoint',
      '/config/method',
      '/config/timeout_ms',
      '/config/max_response_bytes',
      '/credits_per_call',
    ])
  })

  test('name a missing object once', () => {
    expect(faults({ id: 'sg_x', source: 'official', credits_per_call: 0 })).toEqual([
      '/meta is missing; send an object',
      '/config is missing; send an object',
    ])
  })

  test.each([[null], ['text'], [[]], [7]])('a definition of %j is refused', (definition) => {
    expect(faults(definition)).toEqual([' is not an object; send { … }'])
  })
})

describe('the limits of a definition', () => {
  const tags = (count: number) =>
    withMeta({ tags: Array.from({ length: count }, (_, i) => `t${i}`) })
  const properties = (count: number) =>
    withParameters({
      type: 'object',
      properties: Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, {}])),
    })
  const nested = (levels: number) => {
    let schema: JsonObject = { type: 'string' }
    for (let i = 0; i < levels - 3; i += 1) schema = { not: schema }
    return withParameters({ type: 'object', properties: { a: schema } })
  }
  const promised = (levels: number) => {
    let schema: JsonObject = { type: 'string' }
    for (let i = 0; i < levels - 1; i += 1) schema = { not: schema }
    return withMeta({ output_schema: schema })
  }
  const mirrored = (header: string) =>
    withParameters({
      type: 'object',
      properties: { a: { type: 'string', 'x-mcp-header': header } },
    })
  const headers = (count: number) =>
    withConfig({
      headers: Object.fromEntries(Array.from({ length: count }, (_, i) => [`x-${i}`, 'v'])),
    })
  const query = (count: number) =>
    withConfig({
      query: Object.fromEntries(Array.from({ length: count }, (_, i) => [`q${i}`, 'v'])),
    })

  test.each<[string, Json, Json, string]>([
    [
      'name',
      withMeta({ name: 'n'.repeat(128) }),
      withMeta({ name: 'n'.repeat(129) }),
      '/meta/name',
    ],
    [
      'name in characters',
      withMeta({ name: '😀'.repeat(128) }),
      withMeta({ name: '😀'.repeat(129) }),
      '/meta/name',
    ],
    [
      'description',
      withMeta({ description: 'd'.repeat(4096) }),
      withMeta({ description: 'd'.repeat(4097) }),
      '/meta/description',
    ],
    [
      'tag',
      withMeta({ tags: ['t'.repeat(64)] }),
      withMeta({ tags: ['t'.repeat(65)] }),
      '/meta/tags/0',
    ],
    ['tags', tags(32), tags(33), '/meta/tags'],
    [
      'emoji',
      withMeta({ emoji: `😀${'\u{200D}😀'.repeat(10)}` }),
      withMeta({ emoji: `😀${'\u{200D}😀'.repeat(11)}` }),
      '/meta/emoji',
    ],
    ['properties', properties(128), properties(129), '/meta/parameters/properties'],
    ['depth', nested(32), nested(33), '/meta/parameters'],
    ['depth of output_schema', promised(32), promised(33), '/meta/output_schema'],
    [
      'typical_ms',
      withMeta({ typical_ms: 15_000 }),
      withMeta({ typical_ms: 15_001 }),
      '/meta/typical_ms',
    ],
    [
      'header of a parameter',
      mirrored('h'.repeat(64)),
      mirrored('h'.repeat(65)),
      '/meta/parameters/properties/a/x-mcp-header',
    ],
    [
      'endpoint',
      withConfig({ endpoint: `https://a.example/${'p'.repeat(2030)}` }),
      withConfig({ endpoint: `https://a.example/${'p'.repeat(2031)}` }),
      '/config/endpoint',
    ],
    ['headers', headers(32), headers(33), '/config/headers'],
    ['query', query(32), query(33), '/config/query'],
    [
      'header value',
      withConfig({ headers: { a: 'v'.repeat(1024) } }),
      withConfig({ headers: { a: 'v'.repeat(1025) } }),
      '/config/headers/a',
    ],
    [
      'query name',
      withConfig({ query: { ['n'.repeat(128)]: 'v' } }),
      withConfig({ query: { ['n'.repeat(129)]: 'v' } }),
      `/config/query/${'n'.repeat(129)}`,
    ],
    [
      'hook',
      withConfig({ plugin_hook: 'h'.repeat(64) }),
      withConfig({ plugin_hook: 'h'.repeat(65) }),
      '/config/plugin_hook',
    ],
    [
      'pick',
      withConfig({ response: { pick: `/${'p'.repeat(511)}` } }),
      withConfig({ response: { pick: `/${'p'.repeat(512)}` } }),
      '/config/response/pick',
    ],
    ['retries', withConfig({ retries: 2 }), withConfig({ retries: 3 }), '/config/retries'],
    [
      'timeout',
      withConfig({ timeout_ms: 14250 }),
      withConfig({ timeout_ms: 14251 }),
      '/config/timeout_ms',
    ],
    [
      'response bytes of JSON',
      withConfig({ max_response_bytes: 4000000, response: { as: 'json' } }),
      withConfig({ max_response_bytes: 4000001, response: { as: 'json' } }),
      '/config/max_response_bytes',
    ],
    [
      'response bytes of an answer that is picked from',
      withConfig({ max_response_bytes: 4000000, response: { pick: '/a' } }),
      withConfig({ max_response_bytes: 4000001, response: { pick: '/a' } }),
      '/config/max_response_bytes',
    ],
    [
      'response bytes',
      withConfig({ max_response_bytes: 16000000 }),
      withConfig({ max_response_bytes: 16000001 }),
      '/config/max_response_bytes',
    ],
    [
      'price',
      { ...MINIMAL, credits_per_call: 10000 },
      { ...MINIMAL, credits_per_call: 10000.000001 },
      '/credits_per_call',
    ],
    [
      'price decimals',
      { ...MINIMAL, credits_per_call: 0.000001 },
      { ...MINIMAL, credits_per_call: 1e-7 },
      '/credits_per_call',
    ],
  ])('the limit of %s is reached and not passed', (_, fits, tooMuch, pointer) => {
    expect(faults(fits)).toEqual([])
    const result = read(tooMuch)
    expect(result.ok ? [] : result.error.faults?.map((fault) => fault.pointer)).toEqual([pointer])
  })

  test('the whole definition has a limit in bytes', () => {
    const whole = { ...MINIMAL, config: { ...MINIMAL.config, method: 'GET' } }
    const padded = (bytes: number) => {
      const empty = JSON.stringify({ ...whole, pad: '' }).length
      return { ...whole, pad: 'é'.repeat((bytes - empty) / 2) }
    }
    const even = JSON.stringify({ ...whole, pad: '' }).length % 2
    expect(faults(padded(256_000 - even))).toEqual([])
    expect(faults(padded(256_002 - even))[0]).toMatch(/bytes; shorten it to 256000$/)
  })

  test('a price in quotes is refused, since JSON has numbers', () => {
    expect(faults({ ...MINIMAL, credits_per_call: '0.5' })).toEqual([
      '/credits_per_call must be a number from 0 to 10000 with at most 6 decimals',
    ])
  })
})

describe('parameters that would cost a client its whole list', () => {
  test.each<[Json, string]>([
    [
      'x',
      '/meta/parameters is not an object; send a JSON Schema {"type":"object","properties":{…}}',
    ],
    [{}, '/meta/parameters/type must be "object": arguments are always one object'],
    [
      { type: ['object'] },
      '/meta/parameters/type must be "object": arguments are always one object',
    ],
    [
      { type: 'object', properties: [] },
      '/meta/parameters/properties is not an object; send {"name": {"type": …}, …}',
    ],
    [
      { type: 'object', properties: { 'a/b': 'string' } },
      '/meta/parameters/properties/a~1b is not a schema; send an object such as {"type":"string"}',
    ],
    [
      { type: 'object', properties: { a: null } },
      '/meta/parameters/properties/a is not a schema; send an object such as {"type":"string"}',
    ],
    [
      { type: 'object', required: null },
      '/meta/parameters/required is not an array of strings; name the parameters that must be given',
    ],
    [
      { type: 'object', required: [1] },
      '/meta/parameters/required is not an array of strings; name the parameters that must be given',
    ],
  ])('the parameters %j are refused', (parameters, expected) => {
    expect(faults(withParameters(parameters))).toEqual([expected])
  })

  test('a required name that is not a property only gives a warning', () => {
    const parameters = { type: 'object', properties: {}, required: ['a'] }
    expect(good(withParameters(parameters)).warnings).toEqual([
      '/meta/parameters/required: requires a, which is not in properties',
    ])
  })
})

describe('the endpoint', () => {
  test.each([
    ['/relative', 'is not an absolute URL; begin it with https://host/'],
    ['javascript:alert(1)', 'is not an absolute URL; begin it with https://host/'],
    ['https://{host}/x', 'has a placeholder in its host; arguments may fill path and query only'],
    ['https://a.example/{{args.x}}', 'has a {{…}} template; write {name} for an argument'],
    ['https://a.example/{x', 'has a brace without its partner; write {name}'],
    ['https://a.example/{a/b}', 'has a brace without its partner; write {name}'],
    ['https://a.example/{}', 'has a brace without its partner; write {name}'],
    ['https://a.example/#top', 'has a fragment (#…), which is never sent; remove it'],
    ['https://a.example:99999/', 'is not a valid URL; check host and port'],
    [
      'https://a.example/{secrets.KEY}',
      'names a secret; secrets go to auth, headers, query or body',
    ],
    ['https://a.example/{x} ', 'has white space or a backslash; write %20 or %5C'],
    ['https://a.example\\{x}', 'has white space or a backslash; write %20 or %5C'],
    ['https://a.example/a b/{x}', 'has white space or a backslash; write %20 or %5C'],
    ['https://a.example/\u3000{x}', 'has white space or a backslash; write %20 or %5C'],
  ])('%s is refused', (endpoint, expected) => {
    expect(faults(withConfig({ endpoint }))).toEqual([`/config/endpoint ${expected}`])
  })

  test('may have places in path and query, and one without a parameter gives a warning', () => {
    const endpoint = 'https://a.example/{city}/x?lang={lang}'
    expect(good(withConfig({ endpoint })).warnings).toEqual([
      '/config/endpoint: {lang} is not among the parameters; calls without it fail',
    ])
  })
})

describe('headers of a skill', () => {
  test.each([
    ['Host', 'x'],
    ['cookie', 'x'],
    ['Content-Length', '1'],
    ['transfer-encoding', 'chunked'],
    ['Connection', 'close'],
  ])('the header %s may not be set', (name, value) => {
    expect(faults(withConfig({ headers: { [name]: value } }))).toEqual([
      `/config/headers/${name} is a header that a skill may not set; remove it`,
    ])
  })

  test.each([
    ['a b', 'x', 'is not a header name; use letters, digits and -'],
    ['a', 'x\r\ny: z', 'holds U+000D at character 2, which readers do not see; remove it'],
    ['a', 'ä', 'has a value that is not visible ASCII; encode it'],
    ['a', '', 'has a value that is not visible ASCII; encode it'],
  ])('the header %j: %j is refused', (name, value, expected) => {
    expect(faults(withConfig({ headers: { [name]: value } }))).toEqual([
      `/config/headers/${name} ${expected}`,
    ])
  })

  test('must be strings', () => {
    expect(faults(withConfig({ headers: { a: 1 } }))).toEqual([
      '/config/headers/a is not a string; write numbers in quotes',
    ])
  })

  test('with a credential in the clear give a warning', () => {
    const value = good(withConfig({ headers: { Authorization: 'Bearer abc' } }))
    expect(value.skill.headers).toEqual({ authorization: [{ kind: 'text', text: 'Bearer abc' }] })
    expect(value.warnings).toHaveLength(1)
  })
})

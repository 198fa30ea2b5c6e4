/** What becomes of an operation: name, settings, schemas, secrets, server and answer, as a plan makes them. */
import { describe, expect, test } from 'vitest'
import { planImport } from '../../../core/flow/imports/plan-import.ts'
import type { JsonObject } from '../../../core/json/json.ts'
import { petstore } from '../flow/imports/petstore.ts'
import { makeWorld, okOf } from '../flow/world.ts'

async function planOf(paths: JsonObject, more: JsonObject = {}, request: object = {}) {
  const { ports, settings } = makeWorld()
  const document = petstore(paths, more)
  const asked = { prefix: 'api', defaults: { credits: 1 }, document, ...request }
  const { read, skills } = okOf(await planImport(ports, settings, asked))
  const definitions = skills.map(({ definition }) => definition as unknown as Definition)
  return { read, definitions, notes: skills.map((skill) => skill.notes) }
}

type Definition = {
  readonly id: string
  readonly meta: { readonly [name: string]: JsonObject }
  readonly config: { readonly [name: string]: unknown }
  readonly credits_per_call: number
}

/** The one tool of a document with one operation. */
async function toolOf(operation: JsonObject, more: JsonObject = {}, request: object = {}) {
  const planned = await planOf({ '/x': { post: operation } }, more, request)
  const { definitions, notes, read } = planned
  const [tool] = definitions
  if (tool === undefined) throw new Error(JSON.stringify(read.notImported))
  return { ...tool, notes: notes[0] ?? [], secrets: read.secrets }
}

async function reasonOf(operation: JsonObject, more: JsonObject = {}, request: object = {}) {
  const { read } = await planOf({ '/x': { post: operation } }, more, request)
  return read.notImported.map(({ reason }) => reason).join(' ')
}

const STRING = { type: 'string' }
const json = (schema: JsonObject) => ({ content: { 'application/json': { schema } } })
const answers = (content: JsonObject) => ({ responses: { 200: { description: 'ok', content } } })

describe('the name of a tool', () => {
  test('a name is the operation id with safe characters, or method and path', async () => {
    const paths = {
      '/a': { get: { operationId: 'repos/get' } },
      '/b/{id}': { get: {} },
      '/c': { get: { operationId: 'listAll', 'x-mcp-name': 'everything' } },
    }
    const { definitions } = await planOf(paths)
    expect(definitions.map(({ id }) => id).sort()).toEqual([
      'sg_api_everything',
      'sg_api_get_b_id',
      'sg_api_repos_get',
    ])
  })

  test('a name of 48 characters stays, and one of 49 ends in a hash', async () => {
    const nameOf = async (length: number) =>
      (await toolOf({ operationId: 'o'.repeat(length - 'sg_api_'.length) })).id
    expect(await nameOf(48)).toBe(`sg_api_${'o'.repeat(41)}`)
    const cut = await nameOf(49)
    expect([cut.length, cut.slice(0, 40)]).toEqual([48, `sg_api_${'o'.repeat(33)}`])
  })

  test('two operations of one name both become tools, with names that do not change when one is left out', async () => {
    const paths = { '/a': { get: { operationId: 'x' } }, '/b': { get: { operationId: 'x' } } }
    const names = (await planOf(paths)).definitions.map(({ id }) => id)
    expect(names[0]).toBe('sg_api_x')
    expect(names[1]).toMatch(/^sg_api_x_[A-Za-z0-9]{6}$/)
    expect((await planOf(paths)).definitions.map(({ id }) => id)).toEqual(names)
  })
})

describe('the settings of a tool', () => {
  test('the nearest x-skillgate counts: operation, then tag, then root, then the defaults', async () => {
    const more = {
      'x-skillgate': { credits: 2, timeoutMs: 5_000 },
      tags: [{ name: 'dear', 'x-skillgate': { credits: 9, description: 'Costs more.' } }],
    }
    const paths = {
      '/root': { get: {} },
      '/tag': { get: { tags: ['dear'] } },
      '/own': { get: { tags: ['dear'], 'x-skillgate': { credits: 4, timeoutMs: 700 } } },
    }
    const { definitions } = await planOf(paths, more)
    expect(
      definitions.map(({ config, credits_per_call, meta }) => [
        credits_per_call,
        config['timeout_ms'],
        meta['description'],
      ]),
    ).toEqual([
      [2, 5_000, 'GET /root'],
      [9, 5_000, 'Costs more.'],
      [4, 700, 'Costs more.'],
    ])
  })

  test('a description is cut at 1,000 characters, and that of an argument at 200', async () => {
    const { meta } = await toolOf({
      description: 'd'.repeat(1_001),
      parameters: [{ name: 'a', in: 'query', description: 'p'.repeat(201), schema: STRING }],
    })
    expect(String(meta['description'])).toHaveLength(1_000)
    expect(meta['parameters']).toMatchObject({
      properties: { a: { description: `${'p'.repeat(199)}…` } },
    })
  })
})

describe('the arguments of a tool', () => {
  test('a member of the body gives way to a parameter of its name, and the operation overrides the path', async () => {
    const parameter = (schema: JsonObject) => ({ name: 'id', in: 'path', required: true, schema })
    const operation = {
      parameters: [parameter({ type: 'integer' })],
      requestBody: json({ type: 'object', properties: { id: STRING, name: STRING } }),
    }
    const { definitions } = await planOf({
      '/x/{id}': { parameters: [parameter(STRING)], post: operation },
    })
    expect(definitions[0]?.meta['parameters']).toMatchObject({
      properties: { id: { type: 'integer' }, body_id: STRING, name: STRING },
      required: ['id'],
    })
  })

  test('headers that OpenAPI says to ignore are no arguments', async () => {
    const { meta } = await toolOf({
      parameters: ['Accept', 'content-type', 'AUTHORIZATION', 'X-Trace'].map((name) => ({
        name,
        in: 'header',
        required: true,
        schema: STRING,
      })),
    })
    expect(Object.keys(meta['parameters']?.['properties'] as object)).toEqual(['X-Trace'])
  })

  test('a schema that refers to others has them under $defs, also one that contains itself, and no others', async () => {
    const schemas = {
      Node: {
        type: 'object',
        properties: {
          next: { $ref: '#/components/schemas/Node' },
          tag: { $ref: '#/components/schemas/Tag' },
        },
      },
      Tag: { type: 'string', enum: ['a', 'b'] },
      Other: { type: 'object' },
    }
    const { meta } = await toolOf(
      {
        requestBody: json({
          type: 'object',
          properties: { root: { $ref: '#/components/schemas/Node' } },
        }),
      },
      { components: { schemas } },
    )
    expect(Object.keys(meta['parameters']?.['$defs'] as object).sort()).toEqual(['Node', 'Tag'])
  })

  test('a property may be called $ref', async () => {
    const { meta } = await toolOf({
      requestBody: json({ type: 'object', properties: { $ref: STRING, ok: { type: 'boolean' } } }),
    })
    expect(Object.keys(meta['parameters']?.['properties'] as object)).toContain('ok')
  })

  test('a property that only the server writes is no argument', async () => {
    const { meta } = await toolOf({
      requestBody: {
        required: true,
        ...json({
          type: 'object',
          properties: { id: { ...STRING, readOnly: true }, name: STRING },
          required: ['id', 'name'],
        }),
      },
    })
    expect(meta['parameters']).toMatchObject({ required: ['name'] })
    expect(Object.keys(meta['parameters']?.['properties'] as object)).toEqual(['name'])
  })

  test('a schema over 32,000 bytes loses inner descriptions first, and says so', async () => {
    const inner = Object.fromEntries(
      Array.from({ length: 300 }, (_, n) => [`m${n}`, { ...STRING, description: 'x'.repeat(400) }]),
    )
    const { meta, notes } = await toolOf({
      requestBody: json({
        type: 'object',
        properties: { all: { type: 'object', properties: inner } },
      }),
    })
    expect(JSON.stringify(meta['parameters']).length).toBeLessThanOrEqual(32_000)
    expect(notes).toEqual(['Descriptions inside arguments are left out to fit 32000 bytes.'])
  })
})

describe('the answer of a tool', () => {
  const object = (bytes: number) => ({
    type: 'object',
    properties: { a: { enum: ['x'.repeat(bytes)] } },
  })

  test('a small object is the output schema, and the same one over 8,000 bytes is left out with a note', async () => {
    const small = await toolOf(answers({ 'application/json': { schema: object(1_000) } }))
    expect(small.meta['output_schema']).toMatchObject({ type: 'object' })
    const large = await toolOf(answers({ 'application/json': { schema: object(8_000) } }))
    expect(large.meta).not.toHaveProperty('output_schema')
    expect(large.notes).toEqual([expect.stringContaining('left out')])
  })

  test('an object that contains itself is no output schema', async () => {
    const schemas = {
      Node: { type: 'object', properties: { next: { $ref: '#/components/schemas/Node' } } },
    }
    const { meta, notes } = await toolOf(
      answers({ 'application/json': { schema: { $ref: '#/components/schemas/Node' } } }),
      { components: { schemas } },
    )
    expect(meta).not.toHaveProperty('output_schema')
    expect(notes).toEqual(['The schema of its answer is left out: it contains itself.'])
  })

  test.each([
    ['text/event-stream', {}, 'text/event-stream'],
    ['application/json', { itemSchema: { type: 'object' } }, 'stream of items'],
  ])(
    'an operation that answers %s as %j is not imported, and the reason names it',
    async (type, media, reason) => {
      expect(await reasonOf(answers({ [type]: media }))).toContain(reason)
    },
  )
})

describe('data as an answer or a body', () => {
  test.each([
    'application/pdf',
    'application/zip',
    'application/octet-stream',
    'application/vnd.ms-excel',
    'image/tiff',
    'video/mp4',
  ])('an operation that answers %s is imported, and a note says what comes', async (type) => {
    const { notes } = await toolOf(answers({ [type]: {} }))
    expect(notes).toContainEqual(expect.stringContaining(`It answers ${type}`))
  })

  test('an operation that answers images that models see, or JSON too, needs no note', async () => {
    for (const types of [{ 'image/png': {} }, { 'application/json': {}, 'application/pdf': {} }]) {
      const { notes } = await toolOf(answers(types))
      expect(notes.filter((note) => note.includes('as bytes in the result'))).toEqual([])
    }
  })

  test.each(['application/octet-stream', 'image/png', 'application/pdf', 'application/zip'])(
    'a body of the type %s is one argument with a file',
    async (type) => {
      const content = { [type]: { schema: { type: 'string', format: 'binary' } } }
      const { config, meta } = await toolOf({ requestBody: { required: true, content } })
      expect(config).toMatchObject({
        body_as: 'binary',
        arguments: { body: { in: 'body', name: '', style: 'file', content_type: type } },
      })
      expect(meta).toMatchObject({
        parameters: { properties: { body: { required: ['base64'] } }, required: ['body'] },
      })
    },
  )

  test('a body of JSON is preferred to one of data', async () => {
    const content = { 'application/pdf': {}, 'application/json': { schema: { type: 'object' } } }
    const { config } = await toolOf({ requestBody: { content } })
    expect(config['body_as']).toBe('json')
  })
})

describe('the server of a tool', () => {
  const endpoint = async (servers: readonly JsonObject[], request: object = {}) =>
    (await toolOf({}, { servers: [...servers] }, request)).config['endpoint']

  test('the first server with https counts, and those of the operation before those of the document', async () => {
    expect(await endpoint([{ url: 'http://a.test' }, { url: 'https://b.test/v2/' }])).toBe(
      'https://b.test/v2/x',
    )
    const own = await toolOf({ servers: [{ url: 'https://own.test' }] })
    expect(own.config['endpoint']).toBe('https://own.test/x')
  })

  test('a variable of a server takes what the administrator says, else its default, and is never an argument', async () => {
    const servers = [{ url: 'https://{region}.test', variables: { region: { default: 'eu' } } }]
    expect(await endpoint(servers)).toBe('https://eu.test/x')
    expect(await endpoint(servers, { serverVariables: { region: 'us' } })).toBe('https://us.test/x')
    expect(await reasonOf({}, { servers: [{ url: 'https://{host}.test' }] })).toContain(
      'has a variable without a value',
    )
  })

  test('a relative server begins at baseUrl, and without one the operation is not imported', async () => {
    const relative = [{ url: '/v1' }]
    expect(await endpoint(relative, { baseUrl: 'https://c.test/docs' })).toBe('https://c.test/v1/x')
    expect(await reasonOf({}, { servers: relative })).toBe(
      'Its server has no absolute http(s) URL.',
    )
  })
})

describe('the security of a tool', () => {
  const secured = (schemes: JsonObject, security: readonly JsonObject[]) =>
    toolOf({ security: [...security] }, { components: { securitySchemes: schemes } })

  test('client credentials become the OAuth hook with the token URL and scopes', async () => {
    const { config, secrets } = await secured(
      {
        shop: {
          type: 'oauth2',
          flows: {
            clientCredentials: { tokenUrl: 'https://auth.test/token', scopes: { read: '' } },
          },
        },
      },
      [{ shop: ['read'] }],
    )
    expect(JSON.stringify(config)).toContain('oauth2_client_credentials')
    expect(JSON.stringify(config)).toContain('https://auth.test/token')
    expect(secrets.length).toBe(2)
  })

  test('another flow becomes a token of each user, which the plan names', async () => {
    const { config, secrets } = await secured(
      {
        shop: {
          type: 'oauth2',
          flows: { implicit: { authorizationUrl: 'https://auth.test', scopes: {} } },
        },
      },
      [{ shop: [] }],
    )
    expect(config['auth']).toMatchObject({ type: 'bearer' })
    expect(secrets).toHaveLength(1)
  })

  test('the first alternative that can be satisfied counts, and no alternative is no import', async () => {
    const schemes = {
      tls: { type: 'mutualTLS' },
      basic: { type: 'http', scheme: 'basic' },
      key: { type: 'apiKey', in: 'query', name: 'k' },
    }
    const { config } = await secured(schemes, [{ tls: [] }, { basic: [] }, { key: [] }])
    expect(config['auth']).toMatchObject({ type: 'basic' })
    const more = { components: { securitySchemes: schemes } }
    expect(await reasonOf({ security: [{ tls: [] }] }, more)).toMatch(/mutual TLS|mutualTLS/i)
  })

  test('an operation that asks for nothing has no secret, whatever the document asks for', async () => {
    const scheme = { components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } } }
    const { config, secrets } = await toolOf(
      { security: [] },
      { ...scheme, security: [{ key: [] }] },
    )
    expect([config['auth'], secrets]).toEqual([undefined, []])
  })
})

/** What of a document a tool does not have is a note, and a tool without notes does what the document says. */
import { describe, expect, test } from 'vitest'
import { planImport } from '../../../core/flow/imports/plan-import.ts'
import type { JsonObject } from '../../../core/json/json.ts'
import { asked, petstore } from '../flow/imports/petstore.ts'
import { makeWorld, refusalOf } from '../flow/world.ts'
import { planOf, reasonOf, toolOf } from './planned-tools.ts'

const STRING = { type: 'string' }
const json = (schema: JsonObject, more: JsonObject = {}) => ({
  requestBody: { required: true, content: { 'application/json': { schema, ...more } } },
})
const parameter = (more: JsonObject) => ({
  parameters: [{ name: 'a', in: 'query', schema: STRING, ...more }],
})
const property = (schema: JsonObject) => json({ type: 'object', properties: { a: schema } })

describe('a tool without losses', () => {
  test('a tool that does what the document says has no notes', async () => {
    const { notes } = await toolOf({
      operationId: 'addPet',
      summary: 'Add a pet',
      tags: ['pets'],
      ...json({
        type: 'object',
        required: ['name'],
        properties: { name: { ...STRING, maxLength: 9, default: 'Rex' } },
      }),
      parameters: [
        { name: 'dry', in: 'query', description: 'Only checks.', schema: { type: 'boolean' } },
      ],
      responses: {
        201: {
          description: 'ok',
          content: {
            'application/json': { schema: { type: 'object', properties: { id: STRING } } },
          },
        },
      },
    })
    expect(notes).toEqual([])
  })
})

describe('a default', () => {
  test('is told to the model and not sent, and a required argument stays required', async () => {
    const { meta, properties } = await toolOf({
      parameters: [
        {
          name: 'role',
          in: 'query',
          required: true,
          description: 'Not with kind.',
          schema: { ...STRING, default: 'owner' },
        },
        { name: 'kind', in: 'query', schema: { ...STRING, default: 'all' } },
      ],
    })
    expect(properties).toEqual({
      role: { type: 'string', description: 'Not with kind. Default: "owner".' },
      kind: { type: 'string', description: 'Default: "all".' },
    })
    expect(meta['parameters']?.['required']).toEqual(['role'])
  })

  test('of a member, of a definition and of an answer is told, too', async () => {
    const { meta } = await toolOf(
      {
        ...json({ type: 'object', properties: { a: { $ref: '#/components/schemas/Size' } } }),
        responses: {
          200: {
            content: {
              'application/json': {
                schema: { type: 'object', properties: { n: { type: 'integer', default: 3 } } },
              },
            },
          },
        },
      },
      { components: { schemas: { Size: { type: 'integer', description: 'In cm.', default: 5 } } } },
    )
    expect(meta['parameters']).toMatchObject({
      $defs: { Size: { type: 'integer', description: 'In cm. Default: 5.' } },
    })
    expect(meta['output_schema']).toMatchObject({
      properties: { n: { description: 'Default: 3.' } },
    })
    expect(JSON.stringify(meta)).not.toContain('"default"')
  })
})

describe('a loss', () => {
  test.each<[string, JsonObject, JsonObject, RegExp]>([
    [
      'a keyword that tools do not keep',
      property({ ...STRING, xml: { name: 'x' } }),
      {},
      /schemas of the arguments xml is left out/,
    ],
    [
      'a value of the wrong kind',
      property({ ...STRING, maxLength: 'five' }),
      {},
      /maxLength "five" is left out/,
    ],
    [
      'a member that is no schema',
      property({ type: 'object', properties: { b: 5 } }),
      {},
      /properties\/b is left out/,
    ],
    [
      'a description over 200 characters',
      property({ ...STRING, description: 'x'.repeat(201) }),
      {},
      /description.* is cut to 200/,
    ],
    [
      'a description of the tool over 1,000',
      { description: 'x'.repeat(1_001) },
      {},
      /description of the tool is cut/,
    ],
    ['a long summary', { summary: 'x'.repeat(129) }, {}, /name of the tool is cut to 128/],
    ['a missing reference', property({ $ref: '#/components/schemas/None' }), {}, /leads nowhere/],
    [
      'keywords of the root of a body',
      json({ type: 'object', minProperties: 1, properties: { a: STRING } }),
      {},
      /minProperties is left out/,
    ],
    [
      'an example of a body',
      json({ type: 'object', properties: { a: STRING } }, { example: {} }),
      {},
      /Of the body example is left out/,
    ],
    [
      'a body with required members that may be optional',
      {
        requestBody: {
          content: {
            'application/json': {
              schema: { type: 'object', required: ['a'], properties: { a: STRING } },
            },
          },
        },
      },
      {},
      /does not say whether the body is required; as its schema says, it needs a/,
    ],
    [
      'another type of body',
      { requestBody: { content: { 'application/json': { schema: STRING }, 'text/xml': {} } } },
      {},
      /bodies application\/json is used; left out: text\/xml/,
    ],
    ['a name that changes', parameter({ name: 'a b' }), {}, /parameter a b is the argument a_b/],
    [
      'a member that gives way',
      { ...parameter({}), ...property(STRING) },
      {},
      /member a of the body is the argument body_a/,
    ],
    [
      'a header that the gateway sets',
      parameter({ in: 'header', name: 'Accept' }),
      {},
      /header parameter Accept is left out/,
    ],
    ['a cookie', parameter({ in: 'cookie' }), {}, /cookie parameter a is left out/],
    [
      'a place that there is not',
      parameter({ in: 'querry' }),
      {},
      /parameter a is left out: there is no place "querry"/,
    ],
    [
      'a parameter of no place in the path',
      parameter({ in: 'path', required: true }),
      {},
      /path parameter a is left out/,
    ],
    [
      'a parameter without a name',
      parameter({ name: '' }),
      {},
      /query parameter is left out: it has no name/,
    ],
    [
      'a parameter twice',
      {
        parameters: [
          { name: 'a', in: 'query' },
          { name: 'a', in: 'query' },
        ],
      },
      {},
      /first query parameter a is left out/,
    ],
    [
      'a parameter that leads nowhere',
      { parameters: [{ $ref: '#/components/parameters/None' }] },
      {},
      /A parameter is left out/,
    ],
    [
      'allowEmptyValue',
      parameter({ allowEmptyValue: true }),
      {},
      /query parameter a allowEmptyValue is left out/,
    ],
    [
      'a type of content',
      { parameters: [{ name: 'a', in: 'query', content: { 'text/csv': {} } }] },
      {},
      /sent as text, not as text\/csv/,
    ],
    ['callbacks', { callbacks: {} }, {}, /callbacks is left out/],
    ['a tag that is too long', { tags: ['x'.repeat(65)] }, {}, /Of the tags/],
    [
      'a setting that is misspelled',
      { 'x-skillgate': { credit: 5 } },
      {},
      /x-skillgate credit is left out/,
    ],
    [
      'several servers',
      {},
      { servers: [{ url: 'https://a.test' }, { url: 'https://b.test' }] },
      /servers https:\/\/a.test is used; left out: https:\/\/b.test/,
    ],
    [
      'a value of a server variable',
      {},
      {
        servers: [
          { url: 'https://{r}.test', variables: { r: { default: 'eu', enum: ['eu', 'us'] } } },
        ],
      },
      /server variable r eu is used/,
    ],
    [
      'a type of the answer',
      { responses: { 200: { content: { 'application/json': {}, 'text/csv': {} } } } },
      {},
      /answers application\/json is used; left out: text\/csv/,
    ],
    [
      'headers of the answer',
      { responses: { 200: { headers: { Link: {} } } } },
      {},
      /Headers of its answer \(Link\)/,
    ],
    ['links', { responses: { 200: { links: { next: {} } } } }, {}, /Links of its answer \(next\)/],
    [
      'an answer that is a list',
      { responses: { 200: { content: { 'application/json': { schema: { type: 'array' } } } } } },
      {},
      /schema of its answer is left out: it is no object/,
    ],
    [
      'answers of two schemas',
      {
        responses: {
          200: {
            content: {
              'application/json': { schema: { type: 'object', properties: { a: STRING } } },
            },
          },
          202: {
            content: {
              'application/json': { schema: { type: 'object', properties: { b: STRING } } },
            },
          },
        },
      },
      {},
      /answers of 202 have another one/,
    ],
    [
      'a format that clients do not know',
      {
        responses: {
          200: {
            content: {
              'application/json': {
                schema: { type: 'object', properties: { a: { ...STRING, format: 'money' } } },
              },
            },
          },
        },
      },
      {},
      /format money is left out/,
    ],
    [
      'a style of a form that there is not',
      {
        requestBody: {
          content: {
            'application/x-www-form-urlencoded': {
              schema: { type: 'object', properties: { a: STRING } },
              encoding: { a: { style: 'odd' } },
            },
          },
        },
      },
      {},
      /encoding of a the style odd is left out/,
    ],
    [
      'headers of a part',
      {
        requestBody: {
          content: {
            'multipart/form-data': {
              schema: { type: 'object', properties: { a: STRING } },
              encoding: { a: { headers: {} } },
            },
          },
        },
      },
      {},
      /encoding of a headers is left out/,
    ],
    ['an array of draft 4', property({ type: 'array', items: [STRING] }), {}, /items is left out/],
  ])('%s is a note', async (_, operation, more, note) => {
    const { notes } = await toolOf(operation, more)
    expect(notes.filter((one) => note.test(one))).toHaveLength(1)
  })

  test('a required parameter that would be lost refuses its operation', async () => {
    expect(await reasonOf(parameter({ in: 'querry', required: true }))).toContain(
      'there is no place "querry"',
    )
    const { read } = await planOf({ '/x': { get: [] } as unknown as JsonObject })
    expect(read.notImported).toEqual([
      { operation: 'GET /x', code: 'unsupported', reason: 'The operation is not an object.' },
    ])
  })

  test('a tool tells 40 notes, and counts more', async () => {
    const parameters = (count: number) => ({
      parameters: Array.from({ length: count }, (_, n) => ({
        name: `p ${n}`,
        in: 'query',
        schema: STRING,
      })),
    })
    expect((await toolOf(parameters(40))).notes).toHaveLength(40)
    const { notes } = await toolOf(parameters(41))
    expect([notes.length, notes.at(-1)]).toEqual([40, '2 more notes are not told.'])
  })

  test('a keyword beside a reference counts, and a property of two parts takes what both take', async () => {
    const { properties } = await toolOf(
      json({
        allOf: [
          { type: 'object', properties: { a: { $ref: '#/components/schemas/S', maxLength: 3 } } },
          { type: 'object', properties: { a: { minLength: 1 } } },
        ],
      }),
      { components: { schemas: { S: STRING } } },
    )
    expect(properties['a']).toEqual({
      allOf: [{ $ref: '#/$defs/S', maxLength: 3 }, { minLength: 1 }],
    })
  })
})

describe('subtypes', () => {
  const shop = (mapping?: JsonObject) => ({
    components: {
      schemas: {
        Payment: {
          type: 'object',
          required: ['kind'],
          properties: { kind: STRING },
          discriminator: { propertyName: 'kind', ...(mapping === undefined ? {} : { mapping }) },
        },
        Card: {
          allOf: [
            { $ref: '#/components/schemas/Payment' },
            { type: 'object', required: ['number'], properties: { number: STRING } },
          ],
        },
        Transfer: {
          allOf: [
            { $ref: '#/components/schemas/Payment' },
            { type: 'object', required: ['iban'], properties: { iban: STRING } },
          ],
        },
      },
    },
  })
  const MAPPING = { card: '#/components/schemas/Card', transfer: 'Transfer' }
  const PAYMENT = json({ $ref: '#/components/schemas/Payment' })

  async function taken(more: JsonObject, body: JsonObject): Promise<boolean> {
    const { meta } = await toolOf(PAYMENT, more)
    return makeWorld().ports.schemas.faults(meta['parameters'] ?? {}, { body }).length === 0
  }

  test('a discriminator by allOf is followed by its mapping', async () => {
    const more = shop(MAPPING)
    expect(await taken(more, { kind: 'card', number: '4' })).toBe(true)
    expect(await taken(more, { kind: 'transfer', iban: 'DE' })).toBe(true)
    expect(await taken(more, { kind: 'card', iban: 'DE' })).toBe(false)
    expect(await taken(more, { kind: 'cash' })).toBe(false)
    expect(await taken(more, { kind: 'Payment' })).toBe(false)
    expect((await toolOf(PAYMENT, more)).notes).toEqual([])
  })

  test('a discriminator without a mapping is followed by the names of the schemas', async () => {
    expect(await taken(shop(), { kind: 'Card', number: '4' })).toBe(true)
    expect(await taken(shop(), { kind: 'Payment' })).toBe(true)
    expect(await taken(shop(), { kind: 'Transfer', number: '4' })).toBe(false)
  })

  test('a subtype as the body has its own members and those of its base', async () => {
    const { properties } = await toolOf(json({ $ref: '#/components/schemas/Card' }), shop(MAPPING))
    expect(Object.keys(properties)).toEqual(['kind', 'number'])
  })

  test('of a member are followed as well', async () => {
    const { meta, notes } = await toolOf(
      property({ $ref: '#/components/schemas/Payment' }),
      shop(MAPPING),
    )
    const faults = (a: JsonObject) =>
      makeWorld().ports.schemas.faults(meta['parameters'] ?? {}, { a })
    expect(faults({ kind: 'card', number: '4' })).toEqual([])
    expect(faults({ kind: 'card' })).not.toEqual([])
    expect(notes).toEqual([])
  })

  test('a discriminator that leads nowhere opens the schema, with a note', async () => {
    const { meta, notes } = await toolOf(
      json({
        type: 'object',
        properties: { kind: STRING },
        discriminator: { propertyName: 'kind' },
        additionalProperties: false,
      }),
    )
    expect(meta['parameters']?.['additionalProperties']).toBeUndefined()
    expect(notes.join(' ')).toContain('discriminator, which leads to no schema')
  })
})

describe('identities of schemas', () => {
  const more = {
    components: {
      schemas: {
        A: { $id: 'https://ids.test/a.json', type: 'string' },
        F: { $anchor: 'foo', type: 'integer' },
        Tree: {
          $id: 'https://ids.test/tree',
          type: 'object',
          properties: {
            leaf: { $ref: '#/$defs/Leaf' },
            other: { $ref: 'a.json' },
            again: { $dynamicRef: '#tree' },
          },
          $defs: {
            Leaf: { type: 'object', required: ['v'], properties: { v: STRING } },
            T: { $dynamicAnchor: 'tree', type: 'boolean' },
          },
        },
      },
    },
  }

  test('references by $id, $anchor and $dynamicAnchor are resolved inside the document', async () => {
    const tree = await toolOf(json({ $ref: '#/components/schemas/Tree' }), more)
    expect(tree.meta['parameters']?.['$defs']).toMatchObject({
      Leaf: { required: ['v'] },
      A: { type: 'string' },
      T: { type: 'boolean' },
    })
    expect(tree.notes).toEqual([])
    const both = await toolOf(
      json({
        type: 'object',
        properties: { a: { $ref: 'https://ids.test/a.json' }, b: { $ref: '#foo' } },
      }),
      more,
    )
    expect(both.meta['parameters']?.['$defs']).toMatchObject({
      A: { type: 'string' },
      F: { type: 'integer' },
    })
    expect(both.notes).toEqual([])
  })

  test('a property may be called $id, and an identity that is not there is another file', async () => {
    const { properties } = await toolOf(
      json({ type: 'object', properties: { $id: STRING, $anchor: STRING } }),
      more,
    )
    expect(Object.keys(properties)).toEqual(['$id', '$anchor'].map((name) => name.slice(1)))
    const { ports, settings } = makeWorld()
    const document = petstore(
      { '/x': { post: json({ $ref: 'https://ids.test/none.json' }) } },
      more,
    )
    expect(refusalOf(await planImport(ports, settings, asked(document))).detail).toContain(
      'none.json',
    )
  })
})

describe('a server that the administrator chose', () => {
  const SERVERS = { servers: [{ url: 'https://api.test/v1' }, { url: 'https://sandbox.test/v1' }] }
  const endpoint = async (request: object, more: JsonObject = SERVERS) =>
    (await toolOf({}, more, request)).config['endpoint']

  test('a base URL chooses a server of the document, by its URL or its origin', async () => {
    expect(await endpoint({ baseUrl: 'https://sandbox.test/v1/' })).toBe(
      'https://sandbox.test/v1/x',
    )
    expect(await endpoint({ baseUrl: 'https://sandbox.test' })).toBe('https://sandbox.test/v1/x')
  })

  test('a base URL that is no server of the document takes the place of all, with a note', async () => {
    const tool = await toolOf({}, SERVERS, { baseUrl: 'https://other.test/api' })
    expect(tool.config['endpoint']).toBe('https://other.test/api/x')
    expect(tool.notes.join(' ')).toContain('left out: https://api.test/v1')
    expect(
      await endpoint({ baseUrl: 'https://mine.test' }, { servers: [{ url: 'https://only.test' }] }),
    ).toBe('https://mine.test/x')
  })

  test('a variable that no server has is refused, and the refusal names those that there are', async () => {
    const { ports, settings } = makeWorld()
    const servers = [
      {
        url: 'https://{region}.test',
        variables: { region: { default: 'eu', enum: ['eu', 'us'] } },
      },
    ]
    const plan = (serverVariables: { [name: string]: string }) =>
      planImport(
        ports,
        settings,
        asked(petstore({ '/x': { get: {} } }, { servers }), { serverVariables }),
      )
    const refusal = refusalOf(await plan({ regoin: 'us' }))
    expect(refusal.detail).toBe(
      'serverVariables: regoin is no variable of the document: its servers have region.',
    )
    expect(refusal.faults?.map(({ pointer }) => pointer)).toEqual(['/serverVariables/regoin'])
    expect(await reasonOf({}, { servers }, { serverVariables: { region: 'mars' } })).toContain(
      'takes eu, us, not mars',
    )
  })
})

describe('credentials', () => {
  const SCHEMES = {
    oauth: {
      type: 'oauth2',
      flows: { clientCredentials: { tokenUrl: 'http://auth.test/token', scopes: { r: 'r' } } },
    },
    key: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
    host: { type: 'apiKey', in: 'header', name: 'Host' },
    bad: { type: 'apiKey', in: 'header', name: 'a b' },
  }
  const secured = (...security: readonly JsonObject[]) =>
    toolOf({ security: [...security] }, { components: { securitySchemes: SCHEMES } })

  test.each(['oauth', 'host', 'bad'])(
    'an alternative that a skill cannot have gives way to the next one: %s',
    async (name) => {
      const { config, notes } = await secured({ [name]: [] }, { key: [] })
      expect(config['headers']).toEqual({ 'x-api-key': '{{secrets.API_KEY}}' })
      expect(notes).toEqual([
        expect.stringContaining(`Of its security key is used; left out: ${name}`),
      ])
    },
  )

  test.each([
    ['header', 'Authorization', 'authorization', 'API_AUTHORIZATION'],
    ['header', 'X-API-Key', 'x-api-key', 'API_X_API_KEY'],
    ['header', 'X-Auth-Token', 'x-auth-token', 'API_X_AUTH_TOKEN'],
    [
      'header',
      'Ocp-Apim-Subscription-Key',
      'ocp-apim-subscription-key',
      'API_OCP_APIM_SUBSCRIPTION_KEY',
    ],
  ])('the %s parameter %s is a secret that the plan names', async (place, name, header, secret) => {
    const { config, notes, properties, secrets } = await toolOf({
      parameters: [{ name, in: place, required: true, schema: STRING }],
    })
    expect(config['headers']).toEqual({ [header]: `{{secrets.${secret}}}` })
    expect(secrets.map((one) => one.name)).toEqual([secret])
    expect(properties).toEqual({})
    expect(notes).toEqual([
      `The header parameter ${name} is the secret ${secret}, not an argument.`,
    ])
  })

  test.each(['api_key', 'apikey', 'access_token', 'client_secret', 'apiKey'])(
    'the query parameter %s is a secret',
    async (name) => {
      const { config, properties } = await toolOf({
        parameters: [{ name, in: 'query', schema: STRING }],
      })
      expect(Object.keys(config['query'] as object)).toEqual([name])
      expect(properties).toEqual({})
    },
  )

  test.each(['key', 'token', 'page_token', 'nextToken', 'partition_key', 'sort-key', 'tokens'])(
    'the query parameter %s is an argument',
    async (name) => {
      const { properties } = await toolOf({ parameters: [{ name, in: 'query', schema: STRING }] })
      expect(Object.keys(properties)).toEqual([name])
    },
  )

  test('a parameter whose place security takes is left out with a note', async () => {
    const more = { components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } } }
    const { notes, secrets } = await toolOf(
      {
        security: [{ bearer: [] }],
        parameters: [{ name: 'Authorization', in: 'header', schema: STRING }],
      },
      more,
    )
    expect(secrets).toHaveLength(1)
    expect(notes).toEqual([
      'The header parameter Authorization is left out: its security sends a credential there.',
    ])
  })
})

describe('schemas that are cut', () => {
  test('an array that is cut to its type has items, as clients ask', async () => {
    const deep = (level: number): JsonObject =>
      level === 0
        ? { type: 'array', items: STRING }
        : {
            type: 'object',
            properties: Object.fromEntries(
              Array.from({ length: 4 }, (_, n) => [`member_number_${n}`, deep(level - 1)]),
            ),
          }
    const { meta, notes } = await toolOf(property(deep(6)))
    expect(JSON.stringify(meta['parameters'])).not.toMatch(/"type":"array"(?!,"items")/)
    expect(notes).toContain('Deep parts of arguments are their type alone to fit 32000 bytes.')
  })

  test('values that stand twice in an enum stand once', async () => {
    const { properties } = await toolOf(property({ ...STRING, enum: ['GET', 'POST', 'GET'] }))
    expect(properties['a']?.['enum']).toEqual(['GET', 'POST'])
  })
})

/**
 * An OpenAPI document becomes tools: plan, apply, and calls over MCP with the official client against a
 * server that tells how it read each request.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type ParsedRequest,
  type ParsingServer,
  startParsingServer,
} from '../openapi/parsing-server.ts'
import { createUser, setSecret } from './admin.ts'
import { bearer, postJson } from './http.ts'
import { connectStreamable, type StreamableAgent } from './streamable-agent.ts'
import { startTwin, type Twin } from './twin.ts'

let server: ParsingServer
let twin: Twin
let agent: StreamableAgent

beforeAll(async () => {
  server = await startParsingServer()
  twin = await startTwin(['--memory', '--outbound-allow', server.host])
  const user = await createUser(twin, { username: 'importer', credits: 100 })
  await setSecret(twin, user.uid, { name: 'SHOP_KEY', value: 'key-0123456789' })
  agent = await connectStreamable(twin.mcp, { key: user.key })
})

afterAll(async () => {
  await agent?.client.close()
  await twin?.stop()
  await server?.stop()
})

const send = (verb: string, body: object) =>
  postJson(`${twin.admin}/imports/openapi:${verb}`, body, bearer(twin.internalApiSecret))

/** Imports one operation and calls it; answers the request as the server read it. */
async function called(
  operation: object,
  args: object,
  at: { path?: string; method?: string; document?: object } = {},
): Promise<ParsedRequest> {
  const { document = {}, method = 'get', path = '/thing' } = at
  prefixes += 1
  const prefix = `t${prefixes}`
  const sent = {
    prefix,
    defaults: { credits: 0 },
    document: documentOf({ [path]: { [method]: { operationId: 'run', ...operation } } }, document),
  }
  const applied = await send('apply', sent)
  expect(applied.text).toContain(`sg_${prefix}_run`)
  const reply = await agent.call(`sg_${prefix}_run`, args as { [name: string]: unknown })
  expect(reply).toMatchObject({ isError: false })
  return JSON.parse(reply.text) as ParsedRequest
}

let prefixes = 0

function documentOf(paths: object, more: object = {}): object {
  return {
    openapi: '3.1.0',
    info: { title: 'Test', version: '1' },
    servers: [{ url: server.url }],
    paths,
    ...more,
  }
}

const query = (name: string, schema: object, more: object = {}) => ({
  parameters: [{ name, in: 'query', schema, ...more }],
})
const TEXTS = { type: 'array', items: { type: 'string' } }
const ANY_OBJECT = { type: 'object' }

describe('an imported operation', () => {
  test('is planned, applied, listed and called', async () => {
    const get = {
      operationId: 'pets/show',
      summary: 'Show a pet',
      parameters: [
        { name: 'petId', in: 'path', required: true, schema: { type: 'string' } },
        { name: 'verbose', in: 'query', schema: { type: 'boolean' } },
      ],
      responses: { 200: { description: 'ok' } },
    }
    const document = documentOf({ '/pets/{petId}': { get } })
    const body = { prefix: 'pets', defaults: { credits: 1 }, document }
    const planned = await send('plan', body)
    expect(planned.json()).toMatchObject({
      drift: true,
      added: [{ skillId: 'sg_pets_pets_show', operation: 'GET /pets/{petId}' }],
    })
    expect(await agent.toolNames()).not.toContain('sg_pets_pets_show')
    const applied = await send('apply', body)
    expect(applied.status).toBe(200)
    expect(await agent.toolNames()).toContain('sg_pets_pets_show')
    const reply = await agent.call('sg_pets_pets_show', { petId: 'a/b', verbose: true })
    expect(JSON.parse(reply.text)).toMatchObject({
      method: 'GET',
      path: '/pets/a%2Fb',
      query: { verbose: 'true' },
    })
    expect((await send('check', body)).json()).toMatchObject({ drift: false, unchanged: 1 })
  })
})

describe('a query parameter', () => {
  test('in the style form is repeated for each item, and is one pair when it is not exploded', async () => {
    const exploded = await called(query('ids', TEXTS), { ids: ['a b', 'c&d'] })
    expect(exploded.query).toEqual({ ids: ['a b', 'c&d'] })
    const joined = await called(query('ids', TEXTS, { explode: false }), { ids: ['a,b', 'c'] })
    expect(joined.rawQuery).toBe('ids=a%2Cb,c')
  })

  test('with an object in the style form is a pair for each member', async () => {
    const { query: read } = await called(query('color', ANY_OBJECT), { color: { R: 1, G: 2 } })
    expect(read).toEqual({ R: '1', G: '2' })
  })

  test('in the style deepObject nests, with positions in lists', async () => {
    const filter = { a: { b: ['x', 'y'] }, c: 'd&e=f' }
    const { query: read } = await called(query('filter', ANY_OBJECT, { style: 'deepObject' }), {
      filter,
    })
    expect(read).toEqual({ filter })
  })

  test('in the styles of pipes and spaces is joined by them', async () => {
    const style = (one: string) => ({ style: one, explode: false })
    const pipes = await called(query('a', TEXTS, style('pipeDelimited')), { a: ['1', '2'] })
    expect(pipes.query).toEqual({ a: '1|2' })
    const spaces = await called(query('a', TEXTS, style('spaceDelimited')), { a: ['1', '2'] })
    expect(spaces.query).toEqual({ a: '1 2' })
  })

  test('with content is JSON', async () => {
    const parameters = [
      { name: 'where', in: 'query', content: { 'application/json': { schema: ANY_OBJECT } } },
    ]
    const { query: read } = await called({ parameters }, { where: { a: [1, '&'] } })
    expect(JSON.parse(String((read as { where: string }).where))).toEqual({ a: [1, '&'] })
  })

  test('with a name that no argument can have keeps it in the request', async () => {
    const { query: read } = await called(query('filter[name]', { type: 'string' }), {
      filter_name: 'x',
    })
    expect(read).toEqual({ filter: { name: 'x' } })
  })
})

describe('a path parameter', () => {
  const at = (style: string, explode: boolean, schema: object) => ({
    parameters: [{ name: 'id', in: 'path', required: true, style, explode, schema }],
  })

  test.each([
    ['simple', false, ['a', 'b/c'], '/x/a,b%2Fc'],
    ['simple', true, { r: 1, g: 2 }, '/x/r=1,g=2'],
    ['label', false, ['a', 'b'], '/x/.a,b'],
    ['label', true, ['a', 'b'], '/x/.a.b'],
    ['matrix', false, ['a', 'b'], '/x/;id=a,b'],
    ['matrix', true, ['a', 'b'], '/x/;id=a;id=b'],
    ['matrix', true, { r: 1 }, '/x/;r=1'],
  ])(
    'in the style %s, exploded %s, is written as the standard says',
    async (style, explode, id, path) => {
      const schema = Array.isArray(id) ? TEXTS : ANY_OBJECT
      const read = await called(at(style, explode, schema), { id }, { path: '/x/{id}' })
      expect(read.path).toBe(path)
    },
  )
})

describe('a header parameter', () => {
  test('carries lists, and keeps its name', async () => {
    const parameters = [{ name: 'X-Tags', in: 'header', schema: TEXTS }]
    const { headers } = await called({ parameters }, { 'X-Tags': ['a', 'b'] })
    expect(headers['x-tags']).toBe('a,b')
  })
})

const bodyOf = (type: string, schema: object, more: object = {}) => ({
  requestBody: { required: true, content: { [type]: { schema, ...more } } },
})
const MEMBERS = { type: 'object', properties: { name: { type: 'string' }, tags: TEXTS } }

describe('a body', () => {
  test('of JSON is made of flat arguments, beside those of path and query', async () => {
    const operation = {
      ...bodyOf('application/json', {
        type: 'object',
        properties: { id: { type: 'integer' }, name: { type: 'string' } },
      }),
      parameters: [
        { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
        { name: 'dry', in: 'query', schema: { type: 'boolean' } },
      ],
    }
    const args = { id: 'p1', dry: true, body_id: 7, name: 'Rex' }
    const read = await called(operation, args, { path: '/x/{id}', method: 'post' })
    expect(read).toMatchObject({
      path: '/x/p1',
      query: { dry: 'true' },
      body: { id: 7, name: 'Rex' },
    })
  })

  test('that is no object is one argument', async () => {
    const list = bodyOf('application/json', { type: 'array', items: { type: 'integer' } })
    const read = await called(list, { body: [1, 2] }, { method: 'put' })
    expect(read).toMatchObject({ method: 'PUT', type: 'application/json', body: [1, 2] })
  })

  test('of another type of JSON is sent under that type', async () => {
    const patch = bodyOf('application/merge-patch+json', MEMBERS)
    const read = await called(patch, { name: 'x' }, { method: 'patch' })
    expect(read).toMatchObject({ type: 'application/merge-patch+json', body: { name: 'x' } })
  })

  test('goes with DELETE as well', async () => {
    const operation = {
      ...bodyOf('application/json', MEMBERS),
      ...query('force', { type: 'boolean' }),
    }
    const read = await called(operation, { name: 'x', force: true }, { method: 'delete' })
    expect(read).toMatchObject({ query: { force: 'true' }, body: { name: 'x' } })
  })

  test('of a form honours the styles of its encoding', async () => {
    const form = bodyOf(
      'application/x-www-form-urlencoded',
      {
        type: 'object',
        properties: { items: { type: 'array', items: ANY_OBJECT }, note: ANY_OBJECT, tags: TEXTS },
      },
      { encoding: { items: { style: 'deepObject', explode: true } } },
    )
    const args = { items: [{ price: 1 }, { price: 2 }], note: { a: 1 }, tags: ['x', 'y&z'] }
    const read = await called(form, args, { method: 'post' })
    expect(read.body).toEqual({
      items: [{ price: '1' }, { price: '2' }],
      note: '{"a":1}',
      tags: ['x', 'y&z'],
    })
  })

  test('of parts carries files, texts and JSON', async () => {
    const multipart = bodyOf(
      'multipart/form-data',
      {
        type: 'object',
        properties: {
          file: { type: 'string', format: 'binary' },
          note: { type: 'string' },
          about: ANY_OBJECT,
        },
      },
      { encoding: { file: { contentType: 'image/png' } } },
    )
    const args = {
      file: { base64: 'AP8KDS0tc2tpbGxnYXRlLTA=', filename: 'a "b".png' },
      note: 'x\r\n--skillgate-1.',
      about: { a: 1 },
    }
    const read = await called(multipart, args, { method: 'post' })
    expect(read.type).toBe('multipart/form-data')
    expect(read.body).toEqual(
      expect.arrayContaining([
        {
          name: 'file',
          // Quotes as browsers write them (WHATWG, multipart/form-data encoding).
          filename: 'a %22b%22.png',
          mimeType: 'image/png',
          hex: '00ff0a0d2d2d736b696c6c676174652d30',
        },
        { name: 'note', value: 'x\r\n--skillgate-1.', mimeType: 'text/plain' },
        { name: 'about', value: '{"a":1}', mimeType: 'application/json' },
      ]),
    )
  })

  test('of text is one argument', async () => {
    const read = await called(
      bodyOf('text/plain', { type: 'string' }),
      { body: 'a{{b}}' },
      { method: 'post' },
    )
    expect(read).toMatchObject({ type: 'text/plain', body: 'a{{b}}' })
  })

  test('that the document does not have is not sent', async () => {
    const read = await called(query('a', { type: 'string' }), { a: 'b' }, { method: 'post' })
    expect(read).toMatchObject({ method: 'POST', query: { a: 'b' }, body: null, type: '' })
  })
})

describe('security', () => {
  test.each([
    ['a header', { type: 'apiKey', in: 'header', name: 'X-Key' }, 'x-key', 'key-0123456789'],
    ['a cookie', { type: 'apiKey', in: 'cookie', name: 'sid' }, 'cookie', 'sid=key-0123456789'],
    ['bearer', { type: 'http', scheme: 'bearer' }, 'authorization', 'Bearer key-0123456789'],
  ])('with a key in %s takes it from a secret', async (_, scheme, header, value) => {
    const document = {
      components: { securitySchemes: { key: scheme } },
      security: [{ key: [] }],
    }
    const sent = {
      prefix: 'shop',
      defaults: { credits: 0 },
      allowBreaking: true,
      document: documentOf({ '/s': { get: { operationId: 'run' } } }, document),
    }
    const applied = await send('apply', sent)
    expect(applied.json()).toMatchObject({ secrets: [{ name: 'SHOP_KEY' }] })
    const reply = await agent.call('sg_shop_run')
    expect(reply.isError).toBe(false)
    expect(server.requests.at(-1)?.headers[header]).toBe(value)
  })
})

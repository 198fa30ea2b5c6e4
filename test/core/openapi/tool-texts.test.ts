/** Names that tools get, HTML in descriptions, and members of bodies that stay required. */
import { describe, expect, test } from 'vitest'
import { HTML_UNITS_MAX, readHtml } from '../../../core/openapi/html-text.ts'
import { NEEDED_PAIRS_MAX } from '../../../core/openapi/limits.ts'
import { planOf, toolOf } from './planned-tools.ts'

const STRING = { type: 'string' }

describe('the name of a tool', () => {
  const PATHS = {
    '/users/{id}': { get: { operationId: 'get_users__id__get' }, delete: {} },
    '/users': { get: { operationId: 'getUsers' } },
    [`/${'long'.repeat(20)}`]: { get: { operationId: 'a'.repeat(60) } },
    '/again': { get: { operationId: 'getUsers' } },
  }

  test('is told to be generated where method and path, a cut or a clash made it', async () => {
    const { read, tools } = await planOf(PATHS)
    expect(read.notImported).toEqual([])
    expect(tools.map(({ id, nameOrigin }) => [id, nameOrigin])).toEqual([
      ['sg_api_get_users_id_get', 'path'],
      ['sg_api_delete_users_id', 'path'],
      ['sg_api_getUsers', 'document'],
      [expect.stringMatching(/^sg_api_a{34}_\w{6}$/), 'cut'],
      [expect.stringMatching(/^sg_api_getUsers_\w{6}$/), 'taken'],
    ])
  })

  test('is chosen by operation id or by method and path, and before all generated names', async () => {
    const names = { 'GET /again': 'getUsers', get_users__id__get: 'show_user' }
    const { tools } = await planOf(PATHS, {}, { names })
    expect(tools.map(({ id, nameOrigin }) => [id, nameOrigin]).slice(0, 3)).toEqual([
      ['sg_api_show_user', 'chosen'],
      ['sg_api_delete_users_id', 'path'],
      [expect.stringMatching(/^sg_api_getUsers_\w{6}$/), 'taken'],
    ])
    expect(tools.at(-1)?.id).toBe('sg_api_getUsers')
  })

  test.each([
    [{ nobody: 'a' }, 'nobody is no operation that is imported'],
    [{ getUsers: 'a' }, 'getUsers is the id of 2 operations; write GET /users'],
    [{ 'GET /users': 'a b' }, 'GET /users gets a name that no tool can have: 1 to 41 characters'],
    [{ 'GET /users': 'a'.repeat(42) }, 'gets a name that no tool can have'],
    [{ 'GET /users': 'a', 'GET /again': 'a' }, 'GET /again gets the name a, which GET /users has'],
    [{ 'GET /users/{id}': 'a', get_users__id__get: 'b' }, 'get_users__id__get has two names'],
  ])('is refused: %j', async (names, words) => {
    await expect(planOf(PATHS, {}, { names })).rejects.toThrow(words)
  })

  test('has as many characters as fit the limit with both prefixes', async () => {
    const { tools } = await planOf(PATHS, {}, { names: { 'GET /users': 'a'.repeat(41) } })
    expect(tools.map(({ id }) => id)).toContain(`sg_api_${'a'.repeat(41)}`)
  })
})

describe('HTML', () => {
  test.each([
    [
      '<p>Lists a <b>page</b> of &lt;pets&gt;.</p>\n<ul><li>one</li><li>two</li></ul>',
      'Lists a **page** of <pets>.\n\n- one\n- two',
    ],
    ['- keep **this**\n- and <i>this</i>', '- keep **this**\n- and this'],
    ['See <a href="https://x.test">the guide</a>.', 'See the guide.'],
    ['one<br>two<br/>three', 'one\ntwo\nthree'],
    ['<code>a &amp; b</code> &#8212; <img src="x" alt="Logo">', '`a & b` — Logo'],
    ['Takes <id>, a < b and <string>.', 'Takes <id>, a < b and <string>.'],
  ])('%j is read as %j', (html, text) => {
    expect(readHtml(html)).toBe(text)
  })

  test('is read up to the limit of a text', () => {
    const room = HTML_UNITS_MAX - '<b>x</b>'.length
    expect(readHtml(`<b>x</b>${'y'.repeat(room)}`)).toBe(`**x**${'y'.repeat(room)}`)
    expect(readHtml(`<b>x</b>${'y'.repeat(room)}z`)).toBe(`**x**${'y'.repeat(room)}`)
  })

  test('becomes text in a tool and its arguments, and a note tells each', async () => {
    const { meta, notes, properties } = await toolOf({
      summary: 'Adds <b>one</b>',
      description: '<p>Adds one pet.</p>',
      parameters: [{ name: 'a', in: 'query', description: 'A <i>word</i>', schema: STRING }],
    })
    expect(meta['name']).toBe('Adds **one**')
    expect(meta['description']).toContain('Adds one pet.')
    expect(properties['a']?.['description']).toBe('A word')
    expect(notes).toEqual([
      'HTML in descriptions of the schemas of the arguments is text (1).',
      'HTML in the description of the tool is text.',
    ])
  })
})

describe('members that the schema of a body requires', () => {
  const body = (schema: object, more: object = {}) => ({
    requestBody: { ...more, content: { 'application/json': { schema } } },
  })
  const PET = { type: 'object', required: ['name'], properties: { name: STRING, tag: STRING } }
  const requiredOf = async (operation: object, more: object = {}) =>
    (await toolOf(operation as never, more as never)).meta['parameters']

  test.each([
    ['a body that is required', body(PET, { required: true })],
    ['a body of which the document says nothing', body(PET)],
    [
      'parts by allOf',
      body({ allOf: [{ $ref: '#/components/schemas/Pet' }, { properties: { age: STRING } }] }),
    ],
    [
      'a form',
      { requestBody: { content: { 'application/x-www-form-urlencoded': { schema: PET } } } },
    ],
  ])('stay required in %s', async (_, operation) => {
    const schema = await requiredOf(operation, { components: { schemas: { Pet: PET } } })
    expect(schema).toMatchObject({ required: ['name'] })
    expect(schema).not.toHaveProperty('dependentRequired')
  })

  test('stay required inside a member', async () => {
    const schema = await requiredOf(body({ type: 'object', properties: { pet: PET } }))
    expect(schema?.['properties']).toMatchObject({ pet: { required: ['name'] } })
    expect(schema).not.toHaveProperty('required')
  })

  test('are required beside the others where the body may be left out', async () => {
    const { meta, notes } = await toolOf(body(PET, { required: false }) as never)
    expect(meta['parameters']).not.toHaveProperty('required')
    expect(meta['parameters']).toMatchObject({ dependentRequired: { tag: ['name'] } })
    expect(notes).toEqual(['The body may be left out; with any of its members, it needs name.'])
  })

  test('of Swagger 2.0 stay required in a form', async () => {
    const { tools } = await planOf(
      {},
      {
        openapi: undefined as never,
        swagger: '2.0',
        host: 'pets.test',
        schemes: ['https'],
        servers: undefined as never,
        paths: {
          '/x': {
            post: {
              consumes: ['application/x-www-form-urlencoded'],
              parameters: [
                { in: 'formData', name: 'name', type: 'string', required: true },
                { in: 'formData', name: 'tag', type: 'string' },
              ],
            },
          },
        },
      },
    )
    expect(tools[0]?.meta['parameters']).toMatchObject({ required: ['name'] })
  })

  test('are told by a note alone where the schema would have too many pairs', async () => {
    const members = (count: number) => {
      const names = Array.from({ length: count }, (_, index) => `m${index}`)
      const properties = Object.fromEntries(names.map((name) => [name, STRING]))
      return body({ type: 'object', required: names, properties }, { required: false })
    }
    const size = Math.sqrt(NEEDED_PAIRS_MAX)
    expect(await requiredOf(members(size))).toHaveProperty('dependentRequired')
    expect(await requiredOf(members(size + 1))).not.toHaveProperty('dependentRequired')
  })
})

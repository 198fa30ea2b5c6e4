/** What a document says reaches the tools as it is written, or is named: names that stand twice, numbers, versions. */
import { describe, expect, test } from 'vitest'
import { makeOpenApiDocuments } from '../../../adapters/formats/openapi-text.ts'
import { makeWorld, okOf, refusalOf } from '../flow/world.ts'
import { planIn } from './planned-tools.ts'

const read = (text: string) => makeOpenApiDocuments().read(text)

describe('a name that stands twice', () => {
  test.each<[string, string, string, readonly string[]]>([
    [
      'a path of YAML',
      'openapi: 3.0.3\npaths:\n  /pets:\n    get: {}\n  /pets:\n    post: {}\n',
      '/pets',
      ['/paths', 'line 5'],
    ],
    [
      'a method of YAML',
      'openapi: 3.0.3\npaths:\n  /pets:\n    get: {}\n    "get": {}\n',
      'get',
      ['/paths/~1pets', 'line 5'],
    ],
    [
      'a status of YAML, once as a number',
      "openapi: 3.0.3\npaths: {/a: {get: {responses: {200: {}, '200': {}}}}}\n",
      '200',
      ['/paths/~1a/get/responses', 'line 2'],
    ],
    [
      'a path of JSON',
      '{"openapi":"3.0.3","paths":{"/pets":{"get":{}},"/pets":{"post":{}}}}',
      '/pets',
      ['/paths'],
    ],
    [
      'a member of JSON, once escaped',
      '{"openapi":"3.0.3","components":{"schemas":{"A":{"type":"string","ty\\u0070e":"number"}}}}',
      'type',
      ['/components/schemas/A'],
    ],
    [
      'a member in a list of JSON',
      '{"openapi":"3.0.3","tags":[{"name":"a"},{"name":"b","name":"c"}]}',
      'name',
      ['/tags/1'],
    ],
  ])(
    'a document with %s twice is refused, and the refusal names it and its place',
    async (_, text, name, places) => {
      const refusal = refusalOf(await read(text))
      expect(refusal.code).toBe('malformed')
      for (const place of places) expect(refusal.detail).toContain(place)
      expect(refusal.detail).toContain(`/${name.replaceAll('/', '~1')}`)
    },
  )

  test('a name may stand in two objects, in a text, and beside a merge that has it', async () => {
    const json =
      '{"openapi":"3.0.3","a":{"x":1},"b":{"x":"{\\"x\\":1,\\"x\\":2}"},"c":[{"x":1},{"x":1}]}'
    expect(okOf(await read(json))).toMatchObject({ a: { x: 1 } })
    const yaml = 'openapi: 3.0.3\nbase: &b {x: 1}\nown: {<<: *b, x: 2}\n'
    expect(okOf(await read(yaml))).toMatchObject({ own: { x: 2 } })
  })
})

describe('a version', () => {
  test.each([
    ['swagger: 2.0', '2.0'],
    ['swagger: "2.0"', '2.0'],
    ['openapi: 3.0', '3.0.0'],
    ['openapi: 3.1', '3.1.0'],
    ['openapi: 3.2', '3.2.0'],
    ['openapi: 3', '3.0.0'],
  ])('a document with %s is read', async (version) => {
    const about = version.startsWith('swagger')
      ? 'host: a.test\nschemes: [https]'
      : 'servers: [{url: "https://a.test"}]'
    const text = `${version}\ninfo: {title: A, version: 1.0}\n${about}\npaths: {/a: {get: {operationId: a, responses: {200: {description: ok}}}}}\n`
    const { tools } = await planIn(makeWorld(), text)
    expect(tools.map(({ config }) => config['endpoint'])).toEqual(['https://a.test/a'])
  })

  test('a document of another version is refused, and the refusal names those that are read', async () => {
    const { upgrade } = makeOpenApiDocuments()
    expect(refusalOf(await upgrade({ swagger: 1.2 })).detail).toContain(
      '2.0, 3.0, 3.1 and 3.2 are read',
    )
    expect(refusalOf(await upgrade({ openapi: true })).detail).toContain('no OpenAPI document')
  })
})

const BIG = '18446744073709551615'
const parameter = (schema: string) =>
  `{"openapi":"3.0.3","servers":[{"url":"https://a.test"}],"paths":{"/a":{"get":{"operationId":"a","parameters":[{"name":"until","in":"query","schema":${schema}}]}}}}`

describe('a number past a double', () => {
  test.each([
    'default',
    'maximum',
    'minimum',
    'exclusiveMaximum',
    'const',
    'example',
    'multipleOf',
  ])(
    'the %s of an argument is left out with a note that has its digits, and never another number',
    async (keyword) => {
      const { tools } = await planIn(
        makeWorld(),
        parameter(`{"type":"integer","${keyword}":${BIG}}`),
      )
      const [tool] = tools
      expect(tool?.properties['until']?.[keyword]).toBeUndefined()
      expect(tool?.notes.join(' ')).toMatch(
        keyword === 'example' ? /example/ : new RegExp(`${keyword} ${BIG}`),
      )
      expect(JSON.stringify(tool)).not.toContain('18446744073709552000')
    },
  )

  test.each([
    ['among the values of an enum', `{"enum":[1,${BIG}]}`],
    [
      'in an object',
      `{"type":"object","properties":{"a":{"type":"object","default":{"b":[${BIG}]}}}}`,
    ],
    ['of too many digits', '{"maximum":0.1234567890123456789}'],
    ['without a double', '{"maximum":1e999}'],
  ])('a number %s is left out with a note', async (_, schema) => {
    const { tools } = await planIn(makeWorld(), parameter(schema))
    expect(tools[0]?.notes).toEqual([expect.stringContaining('more digits')])
  })

  test('a number of YAML is left out as well, whatever its form', async () => {
    const text = `openapi: 3.0.3\nservers: [{url: "https://a.test"}]\npaths: {/a: {get: {parameters: [{name: until, in: query, schema: {maximum: ${BIG}, minimum: .inf, multipleOf: 0xffffffffffffffffff, minLength: 1e1}}]}}}\n`
    const { tools } = await planIn(makeWorld(), text)
    const note = tools[0]?.notes.join(' ')
    for (const part of [`maximum ${BIG}`, 'minimum .inf', 'multipleOf 0xffffffffffffffffff']) {
      expect(note).toContain(part)
    }
    expect(tools[0]?.properties['until']).toEqual({ minLength: 10 })
  })

  test('a number of an overlay is left out, and a filter finds it by its digits', async () => {
    const overlay = `{"overlay":"1.0.0","info":{"title":"o","version":"1"},"actions":[{"target":"$.paths['/a'].get.parameters[?@.schema.maximum == 9007199254740993].schema","update":{"default":${BIG}}}]}`
    const found = await planIn(makeWorld(), parameter('{"maximum":9007199254740993}'), { overlay })
    expect(found.tools[0]?.properties['until']?.['description']).toBe(`Default: ${BIG}.`)
    const other = await planIn(makeWorld(), parameter('{"maximum":9007199254740992}'), { overlay })
    expect(other.tools[0]?.properties['until']).toEqual({ maximum: 9007199254740992 })
  })
})

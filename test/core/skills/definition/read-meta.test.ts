import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../../core/json/json.ts'
import { faults, good, withMeta } from '../reading.ts'

const promising = (output_schema: Json) => withMeta({ output_schema })
const taking = (properties: JsonObject, more: JsonObject = {}) =>
  withMeta({ parameters: { type: 'object', properties, ...more } })

describe('meta.output_schema', () => {
  test.each<[JsonObject]>([
    [{ type: 'object', properties: { a: { type: ['string', 'null'] } } }],
    [{ type: 'array', items: { type: 'number' } }],
    [{ type: 'string', nullable: true }],
    [{ $schema: 'https://json-schema.org/draft/2020-12/schema', anyOf: [true] }],
    [{}],
  ])('the output schema %j is accepted, and stays in the definition', (schema) => {
    const { definition, skill, warnings } = good(promising(schema))
    expect(skill.outputSchema).toBe(schema)
    expect(definition['meta']).toMatchObject({ output_schema: schema })
    expect(warnings).toEqual([])
  })

  test.each<[Json, string]>([
    [true, ' is not an object; send a JSON Schema, or leave it out'],
    ['object', ' is not an object; send a JSON Schema, or leave it out'],
    [[], ' is not an object; send a JSON Schema, or leave it out'],
    [{ $id: 'x' }, '/$id is what clients keep schemas by, so two would be one; remove it'],
    [
      { properties: { a: { nullable: true } } },
      '/properties/a/nullable stands without type; write "type": ["string", "null"]',
    ],
  ])('the output schema %j would break the list of a client', (schema, expected) => {
    expect(faults(promising(schema))).toEqual([`/meta/output_schema${expected}`])
  })

  test('an output schema of null counts as absent', () => {
    expect(good(promising(null)).skill.outputSchema).toBeUndefined()
  })
})

describe('meta.typical_ms', () => {
  test.each([[1], [900], [15_000]])('the typical time %i is listed', (typical_ms) => {
    expect(good(withMeta({ typical_ms })).skill.typicalMs).toBe(typical_ms)
  })

  test.each<[Json]>([[0], [15_001], [1.5], ['900'], [true], [-1]])(
    'the typical time %j is refused',
    (typical_ms) => {
      expect(faults(withMeta({ typical_ms }))).toEqual([
        '/meta/typical_ms must be a whole number from 1 to 15000',
      ])
    },
  )

  test('a typical time of null counts as absent', () => {
    expect(good(withMeta({ typical_ms: null })).skill.typicalMs).toBeUndefined()
  })
})

describe('x-mcp-header', () => {
  const AT = '/meta/parameters/properties'
  const mirror = (header: Json, type: Json = 'string') => ({ type, 'x-mcp-header': header })

  test('is read on strings, integers and booleans, at any depth of properties', () => {
    const properties = {
      region: mirror('Region'),
      page: mirror('Page', 'integer'),
      deep: { type: 'object', properties: { dry: mirror("!#$%&'*+.^_`|~-x1", 'boolean') } },
      'x-mcp-header': { type: 'number' },
      data: {
        const: mirror('a b'),
        enum: [mirror('')],
        default: mirror(1),
        examples: [mirror('')],
      },
    }
    expect(good(taking(properties)).warnings).toEqual([])
  })

  test.each<[JsonObject, string]>([
    [{ a: mirror('') }, '/a/x-mcp-header is not a header name'],
    [{ a: mirror('a b') }, '/a/x-mcp-header is not a header name'],
    [{ a: mirror('ä') }, '/a/x-mcp-header is not a header name'],
    [{ a: mirror('a\r\nb') }, '/a/x-mcp-header is not a header name'],
    [{ a: mirror(7) }, '/a/x-mcp-header is not a header name'],
    [{ a: mirror(null) }, '/a/x-mcp-header is not a header name'],
    [{ a: mirror('A', 'number') }, '/a/x-mcp-header is on a parameter that is not a string'],
    [
      { a: mirror('A', ['string', 'null']) },
      '/a/x-mcp-header is on a parameter that is not a string',
    ],
    [{ a: { 'x-mcp-header': 'A' } }, '/a/x-mcp-header is on a parameter that is not a string'],
    [{ a: mirror('Region'), b: mirror('REGION') }, '/b/x-mcp-header is given twice'],
    [{ a: { items: mirror('A') } }, '/a/items/x-mcp-header is not on a parameter'],
    [{ a: { anyOf: [mirror('A')] } }, '/a/anyOf/0/x-mcp-header is not on a parameter'],
    [
      { a: { items: { properties: { b: mirror('A') } } } },
      '/a/items/properties/b/x-mcp-header is not on a parameter',
    ],
  ])('in %j would cost the tool', (properties, expected) => {
    const found = faults(taking(properties))
    expect(found).toHaveLength(1)
    expect(found[0]).toContain(`${AT}${expected}`)
  })

  test.each<[string, JsonObject]>([
    ['', { 'x-mcp-header': 'A' }],
    ['/$defs/a', { $defs: { a: mirror('A') } }],
    ['/allOf/0/properties/a', { allOf: [{ properties: { a: mirror('A') } }] }],
    ['/patternProperties/a', { patternProperties: { a: mirror('A') } }],
    ['/additionalProperties', { additionalProperties: mirror('A') }],
    ['/if/properties/a', { if: { properties: { a: mirror('A') } } }],
  ])('under "%s" of the parameters would cost the tool too', (pointer, more) => {
    expect(faults(taking({}, more))).toEqual([
      expect.stringContaining(`/meta/parameters${pointer}/x-mcp-header is not on a parameter`),
    ])
  })
})

describe('a schema that some model APIs refuse', () => {
  const warnings = (parameters: JsonObject) =>
    good(withMeta({ parameters: { type: 'object', ...parameters } })).warnings

  test.each([
    ['', ''],
    ['größe', 'größe'],
    ['a b', 'a b'],
    ['a/b', 'a~1b'],
    ['$a', '$a'],
  ])('the parameter name "%s" gives a warning', (name, shown) => {
    expect(warnings({ properties: { [name]: {} } })).toEqual([
      `/meta/parameters/properties/${shown}: some model APIs refuse such a name; use 1 to 64 characters of A-Z a-z 0-9 _ . -`,
    ])
  })

  test('a parameter name of 65 characters gives a warning, and one of 64 none', () => {
    expect(warnings({ properties: { ['a'.repeat(64)]: {}, 'A-z_0.9': {} } })).toEqual([])
    expect(warnings({ properties: { ['a'.repeat(65)]: {} } })).toHaveLength(1)
  })

  test.each([['allOf'], ['anyOf'], ['oneOf']])(
    '%s gives a warning at the root, and not below',
    (keyword) => {
      expect(warnings({ properties: {}, [keyword]: [{}] })).toEqual([
        `/meta/parameters/${keyword}: some model APIs refuse a tool with ${keyword} at the root; move it into a property`,
      ])
      expect(warnings({ properties: { a: { [keyword]: [{}] } } })).toEqual([])
    },
  )
})

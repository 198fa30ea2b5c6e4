/** What MCP clients refuse in schemas is mended in lists, and told at a sync. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { makeSchemasWithPatterns } from '../../../adapters/formats/json-schema.ts'
import { collectClientRemarks, mendSchema } from '../../../core/json/client-schemas.ts'
import type { Json, JsonObject } from '../../../core/json/json.ts'
import { toLegacyInputSchema, toListedOutputSchema } from '../../../core/mcp/listed-schema.ts'
import { readSkill } from '../../../core/skills/definition/read-skill.ts'

const inside = (schema: JsonObject) => ({ type: 'object', properties: { a: schema } })

describe('a schema that clients refuse', () => {
  test.each([
    ['an array without items', inside({ type: 'array' }), inside({ type: 'array', items: {} })],
    [
      'an array that may be null',
      inside({ type: ['array', 'null'] }),
      inside({ type: ['array', 'null'], items: {} }),
    ],
    [
      'an array in a list',
      inside({ anyOf: [{ type: 'array' }] }),
      inside({ anyOf: [{ type: 'array', items: {} }] }),
    ],
    [
      'an array of a definition',
      { ...inside({}), $defs: { T: { type: 'array' } } },
      { ...inside({}), $defs: { T: { type: 'array', items: {} } } },
    ],
    [
      'a root without properties',
      { type: 'object', additionalProperties: false },
      { type: 'object', additionalProperties: false, properties: {} },
    ],
    [
      'a value twice',
      inside({ enum: ['a', 'b', 'a', { x: 1 }, { x: 1 }] }),
      inside({ enum: ['a', 'b', { x: 1 }] }),
    ],
    [
      'a dialect',
      { ...inside({}), $schema: 'http://json-schema.org/draft-04/schema#' },
      inside({}),
    ],
  ])(
    '%s is mended in each list, and told unless it is a tool without arguments',
    (_, schema, mended) => {
      expect(mendSchema(schema, 'input')).toEqual(mended)
      expect(mendSchema(schema, 'output')).toEqual(mended)
      expect(toLegacyInputSchema(schema)).toEqual(mended)
      const isTold = Object.hasOwn(schema, 'properties')
      expect(collectClientRemarks(schema, 'input')).toHaveLength(isTold ? 1 : 0)
      expect(collectClientRemarks(mended, 'input')).toEqual([])
    },
  )

  test('a format that validators do not know is left out of an output schema, and stays in an input schema', () => {
    const schema = inside({ type: 'string', format: 'x-money' })
    expect(toListedOutputSchema(schema)).toEqual(inside({ type: 'string' }))
    expect(mendSchema(schema, 'input')).toBe(schema)
    const known = inside({ type: 'string', format: 'date-time' })
    expect(toListedOutputSchema(known)).toBe(known)
  })

  test('data that looks like a schema is left as it is', () => {
    const schema = inside({ const: { type: 'array' }, default: { enum: [1, 1] } })
    expect(mendSchema(schema, 'output')).toBe(schema)
  })

  test('a sync warns of each, with its place', () => {
    const definition = {
      id: 'sg_x',
      source: 'official',
      meta: {
        name: 'X',
        description: 'does x',
        parameters: { type: 'object', properties: { tags: { type: 'array' } } },
        output_schema: { type: 'object', properties: { at: { type: 'string', format: 'odd' } } },
      },
      config: { endpoint: 'https://a.example/' },
      credits_per_call: 1,
    }
    const read = readSkill(definition, { prefix: 'sg' })
    expect(read.ok && read.value.warnings).toEqual([
      '/meta/parameters/properties/tags: is an array without items, which some clients refuse; lists add "items": {}',
      '/meta/output_schema/properties/at: has the format odd, of which clients that do not know it warn; lists leave it out',
    ])
  })

  test('any mended schema takes the values that it took before', () => {
    const judge = makeSchemasWithPatterns()
    const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 4 },
        fc.record({ type: fc.constantFrom('array', 'object', 'string', ['array', 'null']) }),
        fc.record({ enum: fc.array(fc.constantFrom<Json>('a', 1, null), { minLength: 1 }) }),
        fc.record({ type: fc.constant('array'), items: tie('schema') }),
        fc.record({ type: fc.constant('object'), properties: fc.record({ a: tie('schema') }) }),
        fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
      ) as fc.Arbitrary<JsonObject>,
    }))
    fc.assert(
      fc.property(schema, fc.jsonValue({ maxDepth: 3 }), (one, value) => {
        const before = judge.faults(one, value as Json).length === 0
        expect(judge.faults(mendSchema(one, 'input'), value as Json).length === 0).toBe(before)
      }),
      { numRuns: 300 },
    )
  })
})

import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../core/json/json.ts'
import { toLegacyOutputSchema } from '../../../core/mcp/listed-schema.ts'
import { checkOutputSchemaForClients } from '../../../core/mcp/output-schema-fault.ts'

function faultAt(schema: JsonObject): string | undefined {
  return checkOutputSchemaForClients({ type: 'object', ...schema })?.pointer
}

describe('an output schema that fits', () => {
  test.each<[string, JsonObject]>([
    ['with nothing in it', {}],
    ['with any root', { type: ['array', 'null'], items: {} }],
    [
      'with local references',
      { $defs: { a: { type: 'string' } }, properties: { x: { $ref: '#/$defs/a' } } },
    ],
    ['that refers to itself', { properties: { next: { $ref: '#' } } }],
    [
      'with a property that is named like a keyword',
      { properties: { pattern: {}, $ref: {}, enum: {}, type: {} } },
    ],
    [
      'with data that looks like a keyword',
      { const: { $ref: 'https://a.example/' }, default: { pattern: '(' } },
    ],
    [
      'with booleans for schemas',
      { properties: { a: true, b: false }, additionalProperties: false },
    ],
    ['with keywords that nobody knows', { 'x-mine': { pattern: '(' } }],
    ['with an $id at its root', { $id: 'https://a.example/schema' }],
  ])('an output schema %s fits', (_what, schema) => {
    expect(checkOutputSchemaForClients(schema)).toBeUndefined()
  })
})

describe('an output schema that is refused', () => {
  test.each<[string, JsonObject, string]>([
    [
      'an expression that is none',
      { properties: { a: { pattern: '(' } } },
      '/properties/a/pattern',
    ],
    [
      'one that is none under the flag u',
      { properties: { a: { pattern: '\\-' } } },
      '/properties/a/pattern',
    ],
    ['a name pattern that is none', { patternProperties: { '[': {} } }, '/patternProperties/['],
    [
      'a reference into the network',
      { properties: { a: { $ref: 'https://a.example/' } } },
      '/properties/a/$ref',
    ],
    ['a reference to nowhere', { items: { $ref: '#/$defs/a' } }, '/items/$ref'],
    [
      'a reference to no schema',
      { required: ['a'], items: { $ref: '#/required/0' } },
      '/items/$ref',
    ],
    ['a reference by anchor', { items: { $ref: '#a' } }, '/items/$ref'],
    ['an anchor', { items: { $anchor: 'a' } }, '/items/$anchor'],
    [
      'an anchor below a keyword that nobody knows',
      { 'x-a': { b: { $anchor: 'a' } } },
      '/x-a/b/$anchor',
    ],
    ['an $id below the root', { items: { $id: 'a' } }, '/items/$id'],
    ['an unknown type', { items: { type: 'text' } }, '/items/type'],
    ['properties that are a list', { properties: [] }, '/properties'],
    ['a property that is a text', { properties: { a: 'string' } }, '/properties/a'],
    [
      'required that is a flag',
      { properties: { a: { required: true } } },
      '/properties/a/required',
    ],
    ['choices without a choice', { properties: { a: { enum: [] } } }, '/properties/a/enum'],
    ['a bound that is a text', { properties: { a: { maximum: '1' } } }, '/properties/a/maximum'],
    [
      'a bound of an older draft',
      { properties: { a: { exclusiveMinimum: true } } },
      '/properties/a/exclusiveMinimum',
    ],
    [
      'a count that is negative',
      { properties: { a: { minLength: -1 } } },
      '/properties/a/minLength',
    ],
    ['alternatives without one', { anyOf: [] }, '/anyOf'],
    [
      'nullable without a type',
      { properties: { a: { nullable: true } } },
      '/properties/a/nullable',
    ],
  ])('an output schema is refused for %s', (_what, schema, pointer) => {
    expect(faultAt(schema)).toBe(pointer)
  })

  test('an output schema is refused past 32 levels', () => {
    const nested = (levels: number): JsonObject => (levels === 1 ? {} : { not: nested(levels - 1) })
    expect(checkOutputSchemaForClients(nested(32))).toBeUndefined()
    expect(checkOutputSchemaForClients(nested(33))?.pointer).toBe('')
  })
})

const KEYWORDS = [
  '$id',
  '$schema',
  '$ref',
  '$comment',
  '$defs',
  '$anchor',
  '$dynamicRef',
  'definitions',
  'type',
  'enum',
  'const',
  'properties',
  'patternProperties',
  'additionalProperties',
  'propertyNames',
  'required',
  'dependencies',
  'dependentRequired',
  'dependentSchemas',
  'items',
  'prefixItems',
  'additionalItems',
  'contains',
  'minContains',
  'maxContains',
  'uniqueItems',
  'minItems',
  'maxItems',
  'minLength',
  'maxLength',
  'pattern',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minProperties',
  'maxProperties',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'nullable',
  'discriminator',
  'default',
  'title',
  'contentEncoding',
  'unevaluatedProperties',
  'formatMinimum',
  'formatMaximum',
  '$async',
  '$vocabulary',
  'id',
  '$recursiveRef',
  'readOnly',
  'examples',
  'deprecated',
  '$recursiveAnchor',
  '$dynamicAnchor',
  'instanceof',
  'x',
]

const value = fc.letrec<{ schema: Json; value: Json }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.boolean(),
    fc.dictionary(fc.constantFrom(...KEYWORDS), tie('value'), { maxKeys: 3 }),
  ),
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<Json>(
      'a',
      '#',
      '#/$defs/a',
      '#/properties/a',
      'https://a.example/x',
      '(',
      '^a$',
      '\\p{L}',
      'string',
      'object',
      'null',
      'integer',
      'date-time',
      'email',
      '__proto__',
      'constructor',
      'toString',
      '',
      '#/',
      '/',
      'a b',
      'draft-07',
    ),
    fc.constantFrom<Json>(0, 1, -1, 1.5, true, false, null, 1e21),
    fc.array(tie('schema'), { maxLength: 2 }),
    fc.array(fc.constantFrom<Json>('a', 'b', 'string', 'null', 1), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'b', '^a', '(', 'constructor'), tie('schema'), {
      maxKeys: 2,
    }),
    tie('schema'),
  ),
})).schema

/** As a legacy client gets it. */
function listed(text: string): JsonObject {
  const schema = toLegacyOutputSchema(JSON.parse(text))
  if (schema === undefined) throw new Error('is left out')
  return schema
}

test('the official client compiles every schema that fits', () => {
  let fitting = 0
  fc.assert(
    fc.property(value, (raw) => {
      const text = JSON.stringify(
        typeof raw === 'object' ? { ...raw, type: 'object' } : { type: 'object' },
      )
      const schema: JsonObject = JSON.parse(text)
      if (checkOutputSchemaForClients(schema) !== undefined) return
      fitting += 1
      const compile = () => new AjvJsonSchemaValidator().getValidator(listed(text))
      expect(compile).not.toThrow()
    }),
    { seed: 20_251_125, numRuns: Number(process.env['FUZZ_RUNS'] ?? 1500) },
  )
  expect(fitting).toBeGreaterThan(200)
})

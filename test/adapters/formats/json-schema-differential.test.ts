/** Random schemas and values are judged alike by the validator and by a library that has no budget. */
import { Validator } from '@cfworker/json-schema'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { makeSchemasWithPatterns } from '../../../adapters/formats/json-schema.ts'
import type { Json, JsonObject } from '../../../core/json/json.ts'

/** FUZZ_RUNS=100000 for a long run. */
const RUNS = 1.5 * Number(process.env['FUZZ_RUNS'] ?? 600)

const NAMES = ['a', 'b', 'c']
const SCALARS: readonly Json[] = [null, true, false, 0, 1, -1, 1.5, 2, 10, '', 'a', 'ab', 'ä', '😀']

const value: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(...SCALARS),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie('value'), { maxKeys: 3 }),
  ),
})).value

const count = fc.integer({ min: 0, max: 3 })
const number = fc.constantFrom(-1, 0, 0.5, 1, 2)
const type = fc.constantFrom('null', 'boolean', 'number', 'integer', 'string', 'array', 'object')

/** Each keyword that sync takes, alone or with others; `$defs` are met by `$ref`. */
const schema: fc.Arbitrary<JsonObject> = fc.letrec<{ schema: JsonObject; any: Json }>((tie) => {
  const list = fc.array(tie('any'), { minLength: 1, maxLength: 2 })
  const map = fc.dictionary(fc.constantFrom(...NAMES), tie('any'), { maxKeys: 2 })
  return {
    any: fc.oneof({ depthSize: 'small' }, fc.boolean(), tie('schema')),
    schema: fc.oneof(
      { depthSize: 'small' },
      fc.record(
        {
          type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
          const: value,
          enum: fc.array(value, { minLength: 1, maxLength: 3 }),
          minimum: number,
          maximum: number,
          exclusiveMinimum: number,
          exclusiveMaximum: number,
          multipleOf: fc.constantFrom(0.5, 1, 2),
          minLength: count,
          maxLength: count,
          minItems: count,
          maxItems: count,
          uniqueItems: fc.boolean(),
          minProperties: count,
          maxProperties: count,
          required: fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 2 }),
        },
        { requiredKeys: [] },
      ) as fc.Arbitrary<JsonObject>,
      fc.record(
        {
          properties: map,
          patternProperties: fc.dictionary(fc.constantFrom('^a', 'b$'), tie('any'), { maxKeys: 1 }),
          additionalProperties: tie('any'),
          propertyNames: tie('any'),
          dependentRequired: fc.constant({ a: ['b'] }),
          dependentSchemas: map,
          prefixItems: list,
          items: tie('any'),
          contains: tie('any'),
          minContains: count,
          maxContains: count,
        },
        { requiredKeys: [] },
      ) as fc.Arbitrary<JsonObject>,
      fc.record(
        {
          allOf: list,
          anyOf: list,
          oneOf: list,
          not: tie('any'),
          if: tie('any'),
          // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema.
          then: tie('any'),
          else: tie('any'),
          $ref: fc.constant('#/$defs/d'),
        },
        { requiredKeys: [] },
      ) as fc.Arbitrary<JsonObject>,
    ),
  }
}).schema

test('our check and the reference agree on random schemas and values', () => {
  const judge = makeSchemasWithPatterns()
  fc.assert(
    fc.property(schema, fc.boolean(), value, (root, def, instance) => {
      const whole = { ...root, $defs: { d: def } }
      const library = new Validator(structuredClone(whole), '2020-12', true)
      const fits = library.validate(structuredClone(instance)).valid
      expect(judge.faults(whole, instance).length === 0).toBe(fits)
    }),
    { numRuns: RUNS },
  )
})

import { describe, expect, test } from 'vitest'
import { makeSchemasWithPatterns } from '../../../adapters/formats/json-schema.ts'
import type { Json, JsonObject } from '../../../core/json/json.ts'

const { faults, schemaFaults } = makeSchemasWithPatterns()
const lines = (found: readonly { pointer: string; message: string }[]) =>
  found.map(({ pointer, message }) => `${pointer} ${message}`)
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...more,
})

describe('faults of a value', () => {
  test('a value that fits has no faults', () => {
    const schema = object({ a: { type: 'string' } }, { required: ['a'] })
    expect(faults(schema, { a: 'x', b: 1 })).toEqual([])
  })

  test('come all at once, with pointers and limits, and without the values', () => {
    const schema = object(
      {
        city: { type: 'string', minLength: 2 },
        days: { type: 'integer', minimum: 1, maximum: 14 },
        unit: { enum: ['c', 'f'] },
        'a/b': { type: 'array', items: { type: 'string', maxLength: 3 }, maxItems: 2 },
        code: { type: 'string', pattern: '^[a-z]+$' },
        when: { type: 'string', format: 'date' },
      },
      { required: ['city', 'zip'], additionalProperties: false },
    )
    const value = {
      city: 'x',
      days: 99,
      unit: 'SECRET',
      'a/b': ['ok', 'SECRET', 'SECRET'],
      code: 'SECRET',
      when: 'SECRET',
      extra: 'SECRET',
    }
    const found = lines(faults(schema, value))
    expect(found).toEqual([
      '/zip is missing; send it',
      '/city must have at least 2 characters',
      '/days must be at most 14',
      '/unit must be one of c, f',
      '/a~1b must have at most 2 items',
      '/a~1b/1 must have at most 3 characters',
      '/a~1b/2 must have at most 3 characters',
      '/code must match the pattern ^[a-z]+$',
      '/when must have the format date',
      '/extra is not allowed here; remove it',
    ])
    expect(found.join()).not.toContain('SECRET')
  })

  test.each<[JsonObject, Json, string]>([
    [{ type: ['string', 'null'] }, 1, ' must be of type string, null'],
    [{ const: { a: 1 } }, 2, ' must be {"a":1}'],
    [{ exclusiveMinimum: 0 }, 0, ' must be above 0'],
    [{ exclusiveMaximum: 1 }, 1, ' must be below 1'],
    [{ minimum: 2 }, 1, ' must be at least 2'],
    [{ multipleOf: 0.01 }, 0.001, ' must be a multiple of 0.01'],
    [{ minItems: 1 }, [], ' must have at least 1 items'],
    [{ uniqueItems: true }, [1, 1], ' must not hold the same item twice'],
    [{ minProperties: 1 }, {}, ' must have at least 1 members'],
    [{ maxProperties: 0 }, { a: 1 }, ' must have at most 0 members'],
    [{ not: {} }, 1, ' must not fit the schema under "not"'],
    [{ contains: { const: 1 } }, [2], ' must hold an item that fits "contains"'],
    [{ oneOf: [{}, {}] }, 1, ' must fit exactly one of the alternatives'],
    [
      { dependentRequired: { a: ['b'] } },
      { a: 1 },
      ' needs another argument beside it; see dependentRequired',
    ],
  ])('the schema %j refuses %j', (schema, value, expected) => {
    expect(lines(faults(schema, value))).toContain(expected)
  })

  test('the fault of a value behind a reference names the limit', () => {
    const schema = object({ a: { $ref: '#/$defs/x~1y' } }, { $defs: { 'x/y': { maximum: 5 } } })
    expect(lines(faults(schema, { a: 6 }))).toEqual(['/a must be at most 5'])
  })

  test('the pointer of a fault names members that a URI would encode', () => {
    expect(lines(faults(object({ 'ä b%': { type: 'string' } }), { 'ä b%': 1 }))).toEqual([
      '/ä b% must be of type string',
    ])
  })

  test('are 20 at most', () => {
    const schema = object({ a: { type: 'array', items: { type: 'string' } } })
    const count = (items: number) =>
      faults(schema, { a: Array.from({ length: items }, () => 1) }).length
    expect(count(20)).toBe(20)
    expect(count(21)).toBe(20)
  })

  test('checking a value leaves the schema as it was, frozen ones included', () => {
    const schema = Object.freeze(object(Object.freeze({ a: Object.freeze({ type: 'string' }) })))
    expect(faults(schema, { a: 'x' })).toEqual([])
    expect(faults(schema, { a: 1 })).toHaveLength(1)
    expect(Object.getOwnPropertyNames(schema)).toEqual(['type', 'properties'])
  })

  test('faults stay right when far more schemas are used than are kept', () => {
    for (let round = 0; round < 2; round += 1) {
      for (let i = 0; i < 300; i += 1) {
        expect(faults({ type: 'object', maxProperties: i }, {})).toEqual([])
        expect(faults({ type: 'object', minProperties: i + 1 }, {})).toHaveLength(1)
      }
    }
  })

  // Holds: SCHEMA-3
  test.each<[string, JsonObject, Json]>([
    ['a reference to nowhere', { $ref: '#/$defs/none' }, {}],
    ['a remote reference', { $ref: 'https://schemas.example/x.json' }, {}],
    ['a circle', { $ref: '#' }, {}],
    ['a broken pattern', { pattern: '(' }, 'x'],
    ['keywords of the wrong shape', { anyOf: 7 }, {}],
    [
      'half a surrogate pair in a name',
      object({ 'a\ud800': { type: 'string' } }),
      { 'a\ud800': 1 },
    ],
  ])('%s is reported as a fault and not thrown', (_, schema, value) => {
    expect(faults(schema, value).length).toBeGreaterThan(0)
  })

  test('a value with two hundred thousand faults gets 20 of them', () => {
    const value = { a: Array.from({ length: 200_000 }, () => 1) }
    const schema = object({ a: { type: 'array', items: { type: 'string' } } })
    expect(faults(schema, value)).toHaveLength(20)
  })

  test.each<[string, Json]>([
    ['numbers', [1, 1.5, 1]],
    ['texts', ['a', 'b', 'a']],
    [
      'objects whose names come in another order',
      [
        { a: 1, b: [2] },
        { b: [2], a: 1 },
      ],
    ],
    [
      'nested arrays',
      [
        [[1], [2]],
        [[2], [1]],
        [[1], [2]],
      ],
    ],
  ])('the fault of a list says that %s come twice', (_, value) => {
    expect(lines(faults({ uniqueItems: true }, value))).toEqual([
      ' must not hold the same item twice',
    ])
  })

  test.each<[string, Json]>([
    ['a number and its text', [1, '1']],
    ['values and texts of them', [null, 'null', true, 'true', 'a', '"a"']],
    ['an array and an object', [[], {}]],
    ['the same values under other names', [{ a: 1 }, { b: 1 }]],
    ['a text that looks like what stands for an array', [['#0'], [['#0']], [[['#0']]]]],
    ['names and values that join to one text', [{ 'a":1,"b': 2 }, { a: 1, b: 2 }]],
  ])('a list of different items has no fault: %s', (_, value) => {
    expect(faults({ uniqueItems: true }, value)).toEqual([])
  })

  test('a check against the format url, which backtracks in the library, ends', () => {
    expect(faults({ format: 'url' }, `http://${'a'.repeat(60)}!`)).toHaveLength(0)
    expect(faults({ format: 'url' }, 'no url')).toHaveLength(1)
  })
})

describe('the end of a check', () => {
  const refusal = [
    {
      pointer: '',
      message:
        'takes over 1000000 steps to check against the schema of this skill; send less at a time',
    },
  ]
  const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

  test('a million schemas that meet a value end its check, and fewer do not', () => {
    const twice = { items: { allOf: [{ minimum: 0 }, { minimum: 0 }] } }
    // Three steps for each item, and one for the array.
    expect(faults(twice, numbers(333_333))).toEqual([])
    expect(faults(twice, numbers(333_334))).toEqual(refusal)
  })

  test('a body of 1 MiB of records or numbers is checked to its end', () => {
    const record = { a: 1, b: 'x' }
    const records = Array.from({ length: 69_000 }, () => record)
    const schema = object(
      { a: { type: 'integer', minimum: 0 }, b: { type: 'string', maxLength: 3 } },
      { required: ['a'], additionalProperties: false },
    )
    expect(faults({ items: schema }, records)).toEqual([])
    expect(faults({ items: { type: 'integer' } }, numbers(524_288))).toEqual([])
  })

  test.each<[string, JsonObject, Json]>([
    ['arrays that are compared', { uniqueItems: true }, numbers(200_000).map((one) => [one])],
    [
      'long arrays that differ in their end',
      { uniqueItems: true },
      numbers(2000).map((row) => [...Array(600).fill(1), row]),
    ],
    [
      'a choice among long arrays',
      { items: { enum: numbers(1000).map((one) => [...Array(20).fill(1), -one - 1]) } },
      numbers(2000).map(() => [...Array(20).fill(1), -1000]),
    ],
    [
      'alternatives for each item',
      { items: { anyOf: numbers(900).map((one) => ({ const: one })) } },
      numbers(10_000).map(() => 899),
    ],
    [
      'many properties of many objects',
      {
        items: {
          properties: Object.fromEntries(numbers(900).map((one) => [`p${one}`, true])),
          required: [],
          dependentRequired: Object.fromEntries(numbers(900).map((one) => [`p${one}`, ['q']])),
        },
      },
      numbers(10_000).map(() => ({})),
    ],
    [
      'fractions of far apart sizes',
      { items: { multipleOf: 1e-300 } },
      numbers(100_000).map(() => 1.7e308),
    ],
    [
      'what alternatives have looked at',
      { items: { anyOf: [{ properties: { a: true } }, {}], unevaluatedProperties: false } },
      numbers(100_000).map(() => ({ a: 1 })),
    ],
  ])('a check ends for %s', (_, schema, value) => {
    expect(faults(schema, value)).toEqual(refusal)
  })
})

describe('faults of a schema', () => {
  test('a schema of the kind that agents meet every day has no faults', () => {
    expect(
      schemaFaults({
        $schema: 'http://json-schema.org/draft-07/schema#',
        $id: 'https://a.example/s',
        ...object(
          {
            a: { type: 'string', description: 'd', default: null, examples: [1], nullable: true },
            b: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
            c: true,
            tree: { $ref: '#/$defs/node' },
            type: { type: 'string', pattern: '^[a-z0-9]+(-[a-z0-9]+)*$' },
          },
          { required: ['a'], additionalProperties: false },
        ),
        $defs: {
          node: { properties: { children: { type: 'array', items: { $ref: '#/$defs/node' } } } },
        },
      }),
    ).toEqual([])
  })

  // Holds: SCHEMA-2, SCHEMA-3, SCHEMA-4
  test.each<[JsonObject, string]>([
    [
      { type: 'String' },
      '/type must be one or several of array, boolean, integer, null, number, object, string, each once',
    ],
    [
      { type: [] },
      '/type must be one or several of array, boolean, integer, null, number, object, string, each once',
    ],
    [
      object({ a: { required: true } }),
      '/properties/a/required must be an array of names, each once, beside properties; remove what is there twice',
    ],
    [object({ a: 'string' }), '/properties/a must be a schema: an object, true or false'],
    [{ properties: null }, '/properties must be an object of schemas'],
    [{ items: [{}] }, '/items must be a schema: an object, true or false'],
    [{ anyOf: [] }, '/anyOf must be an array of at least one schema'],
    [{ minLength: -1 }, '/minLength must be a whole number from 0'],
    [{ exclusiveMinimum: true }, '/exclusiveMinimum must be a number'],
    [{ multipleOf: 0 }, '/multipleOf must be a number above 0'],
    [{ enum: 'a' }, '/enum must be an array of at least one value'],
    [{ uniqueItems: 1 }, '/uniqueItems must be true or false'],
    [{ description: null }, '/description must be a string'],
    [
      { required: ['a', 'a'] },
      '/required must be an array of names, each once, beside properties; remove what is there twice',
    ],
    [
      { dependentRequired: { a: ['b', 'b'] } },
      '/dependentRequired must be an object of arrays of names, each once',
    ],
    [
      { type: ['null', 'null'] },
      '/type must be one or several of array, boolean, integer, null, number, object, string, each once',
    ],
    [
      { dependentRequired: { a: 'b' } },
      '/dependentRequired must be an object of arrays of names, each once',
    ],
    [{ $dynamicRef: '#a' }, '/$dynamicRef is not supported; use $ref'],
    [
      object({ a: { $anchor: '/properties/b' } }),
      '/properties/a/$anchor must be a plain name; refer by "#/$defs/name"',
    ],
    [{ $ref: '#a' }, '/$ref must be "#" or "#/…": references out of the schema are never fetched'],
    [
      { dependencies: {} },
      '/dependencies is of an older draft; use dependentRequired or dependentSchemas',
    ],
    [object({ a: { $id: 'x' } }), '/properties/a/$id is supported at the root only; remove it'],
    [{ pattern: '(' }, '/pattern is not a regular expression (ECMA-262 with the u flag)'],
    [
      { patternProperties: { '[': {} } },
      '/patternProperties/[ is not a regular expression (ECMA-262 with the u flag)',
    ],
    [
      { $ref: 'https://a.example/s.json' },
      '/$ref must be "#" or "#/…": references out of the schema are never fetched',
    ],
    [
      { $ref: 'other.json#/a' },
      '/$ref must be "#" or "#/…": references out of the schema are never fetched',
    ],
    [
      { $ref: '#name' },
      '/$ref must be "#" or "#/…": references out of the schema are never fetched',
    ],
    [{ $ref: 7 }, '/$ref must be "#" or "#/…": references out of the schema are never fetched'],
    [{ $ref: '#/%' }, '/$ref must be "#" or "#/…": references out of the schema are never fetched'],
    [{ $ref: '#/$defs/none' }, '/$ref leads to no schema in this document; check the path'],
    [{ $ref: '#' }, ' refers to itself without end; let the circle pass a property'],
    [
      object(
        { a: { $ref: '#/$defs/x' } },
        { $defs: { x: { not: { $ref: '#/$defs/y' } }, y: { allOf: [{ $ref: '#/$defs/x' }] } } },
      ),
      '/properties/a refers to itself without end; let the circle pass a property',
    ],
  ])('the schema %j has a fault', (schema, expected) => {
    expect(lines(schemaFaults(schema))).toEqual([expected])
  })

  // Holds: SCHEMA-5
  test('1000 checks of one value by references that multiply are accepted, and one more is a fault', () => {
    // Level i costs twice level i-1 and one, plus one for each of the two references.
    const levels = (count: number) => {
      const $defs: { [name: string]: JsonObject } = { l0: {} }
      for (let i = 1; i <= count; i += 1) {
        const $ref = `#/$defs/l${i - 1}`
        $defs[`l${i}`] = { allOf: [{ $ref }, { $ref }] }
      }
      return object({ a: { $ref: `#/$defs/l${count}` } }, { $defs })
    }
    expect(schemaFaults(levels(7))).toEqual([])
    expect(lines(schemaFaults(levels(9)))[0]).toContain('makes over 1000 checks of one value')
    expect(lines(schemaFaults(levels(30)))[0]).toContain('makes over 1000 checks of one value')
  })

  // Holds: SCHEMA-5
  test('a schema of 64 levels is accepted, and one of 65 is a fault', () => {
    const nested = (levels: number) => {
      let schema: JsonObject = { type: 'string' }
      for (let i = 1; i < levels; i += 1) schema = { not: schema }
      return schema
    }
    expect(schemaFaults(nested(64))).toEqual([])
    expect(lines(schemaFaults(nested(65)))).toEqual([' nests over 64 levels; flatten it'])
  })

  test('a pattern of 512 characters is accepted, and one of 513 is a fault', () => {
    expect(schemaFaults({ pattern: 'a'.repeat(512) })).toEqual([])
    expect(lines(schemaFaults({ pattern: 'a'.repeat(513) }))).toEqual([
      '/pattern has 513 characters; shorten it to 512',
    ])
  })

  test('a schema with 2000 schemas in it is accepted, and one with 2001 is a fault', () => {
    const many = (count: number) => ({ anyOf: Array.from({ length: count - 1 }, () => ({})) })
    expect(schemaFaults(many(2000))).not.toContainEqual(
      expect.objectContaining({ message: expect.stringContaining('2000') }),
    )
    expect(lines(schemaFaults(many(2001)))).toEqual([' holds over 2000 schemas; simplify it'])
  })

  test('64 patterns are accepted, names under patternProperties included, and 65 are a fault', () => {
    const many = (count: number) =>
      object(
        Object.fromEntries(
          Array.from({ length: count - 1 }, (_, i) => [`p${i}`, { pattern: 'a' }]),
        ),
        {
          patternProperties: { '^x': {} },
        },
      )
    expect(schemaFaults(many(64))).toEqual([])
    expect(lines(schemaFaults(many(65)))).toEqual([' holds over 64 patterns; leave some out'])
  })

  test('are 20 at most', () => {
    const bad = Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`p${i}`, 7]))
    expect(schemaFaults(object(bad))).toHaveLength(20)
  })
})

describe('an anchor', () => {
  const parameters: JsonObject = {
    ...object({ street: { $ref: '#/$defs/text' } }),
    $defs: { text: { $anchor: 'street', type: 'string' }, other: { $anchor: 'street' } },
  }

  test('is kept for clients, and changes nothing of what a path leads to', () => {
    expect(schemaFaults(parameters)).toEqual([])
    expect(faults(parameters, { street: 1 })).toEqual([
      { pointer: '/street', message: 'must be of type string' },
    ])
  })
})

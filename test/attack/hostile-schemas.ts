/** Schemas that make each keyword expensive: alone, on each item, on each member, and many times over. */
import type { Json, JsonObject } from '../../core/json/json.ts'

export type Case = { readonly keyword: string; readonly schema: JsonObject }

const LONG_ENUM = Array.from({ length: 20_000 }, (_, index) => `choice ${index}`)
const NESTED_ENUM = Array.from({ length: 1_000 }, (_, index) => [...Array(20).fill(1), -index])
const NAMES = Array.from({ length: 1_000 }, (_, index) => `p${index}`)
const byName = (value: (name: string) => Json): JsonObject =>
  Object.fromEntries(NAMES.map((name) => [name, value(name)]))

const PATTERNS = [
  '^(a+)+$',
  '(a|a)*b',
  '\\s+$',
  '^.*a.*a.*b$',
  '^(?:((?:(?:((?:\\S){1,9}?)){30}){0,3}))+$',
  '^(?:(?!foo).)*$',
  '\\P{L}\\P{L}\\P{L}\\P{L}\\P{L}\\P{L}\\P{L}\\P{L}$',
  '^[^\\s@]+@[^\\s@]+\\.[^\\s@]+$',
  // Many states, large states, and searches without states.
  '(?:a|b)*a(?:a|b){100}$',
  '[a-z]{1000}$',
  '\\p{L}{500}$',
  '(?<=(?:a|b)*a(?:a|b){100})c',
]

const FORMATS = [
  'date time date-time duration uri uri-reference uri-template url email hostname ipv4 ipv6 regex uuid',
  'json-pointer json-pointer-uri-fragment relative-json-pointer',
].flatMap((names) => names.split(' '))

/** Expensive schemas by the keyword that makes them so. */
const RULES: { readonly [keyword: string]: readonly JsonObject[] } = {
  type: [{ type: 'string' }, { type: ['integer', 'null'] }],
  const: [{ const: NESTED_ENUM[0] ?? null }, { const: 'a'.repeat(100_000) }],
  enum: [{ enum: LONG_ENUM }, { enum: NESTED_ENUM }],
  minimum: [{ minimum: 1e9 }, { exclusiveMinimum: 5 }],
  maximum: [{ maximum: -1 }, { exclusiveMaximum: 5 }],
  multipleOf: [{ multipleOf: 0.01 }, { multipleOf: 1e-300 }, { multipleOf: 7 }],
  minLength: [{ minLength: 600_000 }, { minLength: 2 }],
  maxLength: [{ maxLength: 400_000 }, { maxLength: 1 }],
  pattern: PATTERNS.map((pattern) => ({ pattern })),
  format: FORMATS.map((format) => ({ format })),
  uniqueItems: [{ uniqueItems: true }],
  contains: [{ contains: { const: -1 } }, { contains: { type: 'number' }, maxContains: 3 }],
  minContains: [{ contains: { type: 'object' }, minContains: 200_000 }],
  prefixItems: [{ prefixItems: NAMES.map(() => ({ type: 'boolean' })) }],
  items: [{ items: { type: 'boolean' } }, { items: { items: { type: 'boolean' } } }],
  minItems: [{ minItems: 2_000_000 }, { maxItems: 1 }],
  required: [{ required: NAMES }],
  properties: [{ properties: byName(() => ({ type: 'string' })) }, { properties: { a: false } }],
  patternProperties: [
    { patternProperties: { '^(a+)+$': false } },
    { patternProperties: { a: { type: 'string' }, '\\d$': { type: 'string' } } },
  ],
  additionalProperties: [
    { additionalProperties: false },
    { additionalProperties: { enum: LONG_ENUM } },
  ],
  propertyNames: [{ propertyNames: { maxLength: 1 } }, { propertyNames: { pattern: '(a|a)*b' } }],
  minProperties: [{ minProperties: 200_000 }, { maxProperties: 0 }],
  dependentRequired: [{ dependentRequired: byName(() => NAMES.slice(0, 10)) }],
  dependentSchemas: [{ dependentSchemas: byName(() => ({ type: 'string' })) }],
  allOf: [{ allOf: NAMES.slice(0, 900).map(() => ({ type: 'array' })) }],
  anyOf: [{ anyOf: NAMES.slice(0, 900).map((name) => ({ const: name })) }],
  oneOf: [{ oneOf: NAMES.slice(0, 900).map((name) => ({ required: [name] })) }],
  not: [{ not: { items: { not: { type: 'number' } } } }],
  if: [condition({ uniqueItems: true }, { maxItems: 1 }, { minItems: 1e6 })],
  unevaluatedProperties: [
    { unevaluatedProperties: false },
    {
      anyOf: [{ properties: { a: true } }, { additionalProperties: true }],
      unevaluatedProperties: false,
    },
  ],
  unevaluatedItems: [
    { unevaluatedItems: false },
    { allOf: [{ contains: { type: 'number' } }, { prefixItems: [true] }], unevaluatedItems: false },
  ],
  $ref: [{ $ref: '#/$defs/tree', $defs: { tree: treeOf('tree') } }],
}

/** By entries: an object that is written with `then` looks like a promise. */
function condition(when: Json, holds: Json, fails: Json): JsonObject {
  return Object.fromEntries([
    ['if', when],
    ['then', holds],
    ['else', fails],
  ])
}

/** Each level repeats the costly check on the next. */
function treeOf(name: string): JsonObject {
  const $ref = `#/$defs/${name}`
  return { uniqueItems: true, anyOf: [{ items: { $ref } }, { additionalProperties: { $ref } }] }
}

export function hostileSchemas(): readonly Case[] {
  return Object.entries(RULES).flatMap(([keyword, rules]) =>
    rules.flatMap((rule) => placed(rule, keyword).map((schema) => ({ keyword, schema }))),
  )
}

/** A `$ref` is resolved from the root, so a rule with one stays at the root. */
function placed(rule: JsonObject, keyword: string): readonly JsonObject[] {
  if (keyword === '$ref') return [rule]
  const deep = { items: rule, additionalProperties: rule }
  const many = { allOf: Array.from({ length: 20 }, () => rule) }
  return [rule, deep, { items: deep }, { items: many }]
}

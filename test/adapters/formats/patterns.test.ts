import { describe, expect, test } from 'vitest'
import { schemas } from '../../../adapters/formats/json-schema.ts'
import type { Json, JsonObject } from '../../../core/json/json.ts'

const { faults, schemaFaults, unusable } = schemas()
const RAW = String.raw

/** Processor time of this thread, so that other work on the machine does not count. */
function spentMs(work: () => unknown): number {
  const before = process.threadCpuUsage()
  work()
  const { system, user } = process.threadCpuUsage(before)
  return (system + user) / 1_000
}

const TOO_SLOW =
  'takes too long to check against the patterns of its schema; send a shorter or simpler text'

describe('a pattern that backtracks for ever', () => {
  test.each<[string, string]>([
    [RAW`^(a+)+$`, `${'a'.repeat(60)}!`],
    [RAW`(a|a)*$`, `${'a'.repeat(60)}!`],
    [RAW`^(\w+\s?)*$`, `${'a'.repeat(60)}!`],
    [RAW`^(?:\p{L}|\p{Ll})*$`, `${'é'.repeat(60)}!`],
    [RAW`(a*)*\1b`, 'a'.repeat(100)],
    [RAW`^(?=(a+)+$)`, `${'a'.repeat(60)}!`],
    [RAW`a*a*a*a*a*b`, 'a'.repeat(20_000)],
    [RAW`\s+$`, `${' '.repeat(1_000_000)}x`],
  ])('a pattern that backtracks for ever is cut, and the place is named: %s', (pattern, text) => {
    const schema = { properties: { a: { items: { pattern } } } }
    const value = { a: ['b', text] }
    expect(schemaFaults(schema)).toEqual([])
    let found: unknown
    const spent = spentMs(() => {
      found = faults(schema, value)
    })
    expect(found).toEqual([{ pointer: '/a/1', message: TOO_SLOW }])
    expect(spent).toBeLessThan(150)
  })

  // V8's compiled form of the pattern ends at once, the interpreted one of the first runs never.
  test('a text is refused in time where a pattern chooses between nothing and nothing', () => {
    const nothing = '(?:|||)'.repeat(10)
    const pattern = `^(?:${nothing}){9}b`
    let found: unknown
    const spent = spentMs(() => {
      found = faults({ properties: { a: { pattern } } }, { a: '' })
    })
    const message = expect.stringMatching(/^(must match the pattern|takes too long to check)/)
    expect(found).toEqual([{ pointer: '/a', message }])
    expect(spent).toBeLessThan(150)
  })

  test('a pattern that backtracks for ever is cut in names and under propertyNames too', () => {
    const name = `${'a'.repeat(60)}!`
    const expected = [{ pointer: `/${name}`, message: TOO_SLOW }]
    expect(faults({ patternProperties: { '^(a+)+$': true } }, { [name]: 1 })).toEqual(expected)
    expect(faults({ propertyNames: { pattern: '^(a+)+$' } }, { [name]: 1 })).toEqual(expected)
  })

  test('a pattern that backtracks for ever is no obstacle to texts that it can match', () => {
    const schema = { pattern: RAW`^(a+)+$` }
    expect(faults(schema, 'a'.repeat(1000))).toEqual([])
    expect(faults(schema, 'ab')).toEqual([
      { pointer: '', message: RAW`must match the pattern ^(a+)+$` },
    ])
  })

  test('a pattern that was cut leaves the next check as it would be', () => {
    const schema = { properties: { a: { pattern: RAW`^(a+)+$` }, b: { type: 'string' } } }
    for (let round = 0; round < 3; round += 1) {
      expect(faults(schema, { a: `${'a'.repeat(60)}!` })).toHaveLength(1)
      expect(faults(schema, { a: 'a', b: 1 })).toEqual([
        { pointer: '/b', message: 'must be of type string' },
      ])
    }
  })
})

describe('a pattern that no limit could cut', () => {
  test.each([
    // Lookaheads in a repetition, which read on without backtracking.
    [RAW`(?:(?=[^]*)a)*b`, 'repeats a lookahead'],
    [RAW`^(?:(?=.*x).)*$`, 'repeats a lookahead'],
    [RAW`^(?:(?<=.*)a){1,9}b`, 'repeats a lookahead'],
    [RAW`^(a*)b(?:(?=\1)a)*c`, 'repeats a lookahead'],
    [RAW`^(?:(?:(?!a{33})a)b)*`, 'repeats a lookahead'],
    // Counted repetitions inside counted repetitions.
    [RAW`(?:(?:(?:\B){999}){999}){999}`, 'counts are written out'],
    [RAW`^(\w{50}){50}$`, 'counts are written out'],
    [RAW`(?i:a)`, 'sets flags inside'],
    ['(', 'is not a regular expression'],
    ['a'.repeat(513), 'has 513 characters'],
  ])('a pattern that no limit could cut is refused when it comes in: %s', (pattern, message) => {
    expect(schemaFaults({ pattern })).toEqual([
      { pointer: '/pattern', message: expect.stringContaining(message) },
    ])
    expect(schemaFaults({ patternProperties: { [pattern]: {} } })).toHaveLength(1)
  })

  test('a repeated lookaround of 32 characters is accepted, and one of 33 is refused', () => {
    expect(schemaFaults({ pattern: `^(?:(?!${'a'.repeat(32)})a)*$` })).toEqual([])
    expect(schemaFaults({ pattern: `^(?:(?!${'a'.repeat(33)})a)*$` })).toHaveLength(1)
  })

  test('a pattern of 2000 parts, with its counts written out, is accepted, and one of 2001 is refused', () => {
    expect(schemaFaults({ pattern: '^a{1999}' })).toEqual([])
    expect(schemaFaults({ pattern: '^a{2000}' })).toHaveLength(1)
    expect(schemaFaults({ pattern: '^a{0,60000}$' })).toEqual([])
  })
})

describe('a pattern that people use', () => {
  test.each([
    [RAW`^[a-z0-9]+(-[a-z0-9]+)*$`, 'a-b-c'],
    [RAW`^(?=.*\d)(?=.*[a-z]).{8,}$`, 'passw0rd'],
    [RAW`^(?:(?!foo).)*$`, 'bar'],
    [RAW`^\p{L}+(\s\p{L}+)?$`, 'Jürgen Müller'],
    [RAW`\P{L}\P{L}\P{L}\P{L}\P{L}\P{L}\P{L}\P{L}$`, 'ab12345678'],
    [RAW`^(["']).*\1$`, '"a"'],
    [RAW`^[^\s@]+@[^\s@]+\.[^\s@]+$`, `${'a'.repeat(500)}@b.c`],
    [
      RAW`^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d$`,
      '2026-01-31T12:00',
    ],
    [RAW`^.{1,4000}$`, 'a'.repeat(4000)],
    [RAW`^x|\p{Lu}$`, 'aB'],
    [RAW`(?<=a)\p{L}`, 'ab'],
  ])('the pattern %s may be run', (pattern, text) => {
    expect(schemaFaults({ pattern })).toEqual([])
    expect(faults({ pattern }, text)).toEqual([])
    expect(faults({ not: { pattern } }, text)).toHaveLength(1)
  })

  test('a pattern matches the same texts with letters by property as without', () => {
    for (const text of ['', 'a', 'xab', 'ab12345678', '12345678', '1234567', 'é😀']) {
      for (const pattern of [RAW`\P{L}{8}$`, RAW`^\P{L}{8}`, RAW`a|\p{L}$`, RAW`\p{L}?`]) {
        const fits = faults({ pattern }, text).length === 0
        expect([text, pattern, fits]).toEqual([text, pattern, new RegExp(pattern, 'u').test(text)])
      }
    }
  })

  test('a pattern runs on texts of any length, and one with nested groups on 32768 characters and not on 32769', () => {
    expect(faults({ pattern: '^[A-Za-z0-9+/]*={0,2}$' }, 'a'.repeat(1_000_000))).toEqual([])
    const nested = { pattern: '^(?:(?:a|b)c?)*$' }
    expect(faults(nested, 'a'.repeat(32_768))).toEqual([])
    expect(faults(nested, 'a'.repeat(32_769))).toEqual([
      { pointer: '', message: 'must have at most 32768 characters, for its pattern nests groups' },
    ])
  })
})

describe('a stored pattern that would be refused today', () => {
  const pattern = '(?:(?=[^]*)a)*b'

  test('a stored pattern that would be refused today is not run', () => {
    const value = 'a'.repeat(200_000)
    expect(faults({ pattern }, value)).toEqual([
      {
        pointer: '',
        message: expect.stringContaining('the schema of this skill at /pattern repeats'),
      },
    ])
    expect(spentMs(() => faults({ pattern }, value))).toBeLessThan(100)
  })

  test.each<[string, JsonObject]>([
    ['/properties/a/pattern', { properties: { a: { pattern } } }],
    [`/patternProperties/${pattern}`, { patternProperties: { [pattern]: {} } }],
    ['/propertyNames/pattern', { propertyNames: { pattern } }],
    ['/dependencies/const/pattern', { dependencies: { const: { pattern } } }],
    ['/items/0/pattern', { items: [{ pattern }] }],
    ['/pattern', { pattern: ['a'] }],
  ])(
    'a stored pattern that would be refused today makes its schema unusable, at "%s"',
    (pointer, schema) => {
      expect(unusable(schema)).toMatchObject({ pointer })
    },
  )

  test.each<[string, JsonObject, Json]>([
    ['behind a reference to no schema of the document', { $ref: '#/x', x: { pattern } }, 'a'],
    ['among alternatives', { anyOf: [{ minLength: 1 }, { $ref: '#/x' }], x: { pattern } }, ''],
  ])('a stored pattern that would be refused today is not run %s either', (_, schema, value) => {
    expect(unusable(schema)).toBeUndefined()
    expect(faults(schema, value)).toEqual([
      {
        pointer: '',
        message: 'cannot be checked against the schema of this skill (UnusableSchema)',
      },
    ])
  })

  test.each<[string, JsonObject]>([
    ['whatever else is wrong with it', { required: ['a', 'a'], $ref: 'x:y', pattern: '^a+$' }],
    ['with what only looks like a pattern', { 'x-note': { pattern }, pattern: 'a' }],
    ['with a parameter of that name', { properties: { pattern: { type: 'string' } } }],
    ['with data', { const: { pattern } }],
  ])('no stored pattern is found in a schema %s', (_, schema) => {
    expect(unusable(schema)).toBeUndefined()
  })
})

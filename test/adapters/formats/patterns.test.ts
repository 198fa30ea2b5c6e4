import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { schemas } from '../../../adapters/formats/json-schema.ts'
import { costOfPattern } from '../../../adapters/formats/pattern-cost.ts'
import { patternUse } from '../../../adapters/formats/pattern-fault.ts'
import { parsePattern } from '../../../adapters/formats/pattern-syntax.ts'
import type { JsonObject } from '../../../core/json/json.ts'
import { stepsTaken } from './backtracking.ts'

const { faults, schemaFaults, unusable } = schemas()
const EVIL = String.raw

describe('a pattern that can take forever is refused', () => {
  test.each([
    // A repetition in a repetition.
    [EVIL`(a+)+$`],
    [EVIL`^(?:[a-z]*)*$`],
    [EVIL`^(a*)*b`],
    [EVIL`^(.*)*$`],
    [EVIL`(a{1,9})*x`],
    [EVIL`((a+))+x`],
    [EVIL`((ab)+c?)+$`],
    [EVIL`(\w+\s?)+$`],
    [EVIL`(?<w>\d+)*$`],
    [EVIL`([a-z]+,?)*$`],
    [EVIL`(-a*-?)*x`],
    [EVIL`(a*-a*)*x`],
    [EVIL`(-[a-z-]+)*x`],
    [EVIL`(.+-)*x`],
    [EVIL`(x+x+)+y`],
    [EVIL`^(([a-z])+.)+[A-Z]([a-z])+$`],
    // Alternatives that match the same.
    [EVIL`^(a|a)*$`],
    [EVIL`^(a|ab|b)*c$`],
    [EVIL`^(?:a|[ab])*c$`],
    [EVIL`^(?:\w|\d)+$`],
    [EVIL`^(?:a:|a:)*=$`],
    [EVIL`^(?:a(?:|))*$`],
    [EVIL`^(?:(?:|)a)*$`],
    [EVIL`^(?<year>a!|a!)*=$`],
    [EVIL`^(?:\p{L}|\p{Ll})*$`],
    [EVIL`^(?:[à-ü]|[ü-ÿ])*!$`],
    [EVIL`^(?:\u{1F600}|\uD83D\uDE00)*$`],
    [EVIL`^(?:\s|\u2003)*x$`],
    // A polynomial of too high a degree.
    [EVIL`a*a*a*$`],
    [EVIL`^a*a*a*a*a*$`],
    [EVIL`\s*\s*\s*x`],
    // Counted, and far too often.
    [EVIL`^(a?){30}a{30}$`],
    [EVIL`^(?:a|a){30}$`],
    [EVIL`^(?:(?:|||)(?:|||)(?:|||)(?:|||)(?:|||)(?:|||)(?:|||)(?:|||)(?:|||)(?:|||))b`],
    [EVIL`^(?:a{0,99}){99}$`],
    // In what only looks.
    [EVIL`^(?=(a+)+$)`],
    [EVIL`(?<=^(a+)+)b`],
    [EVIL`^(?:(?=.*x)(?=.*y).)*(?=.*z)(?:.*a)*$`],
    // Known from the wild.
    [EVIL`^(https?://)?([\da-z.-]+)\.([a-z.]{2,6})([/\w .-]*)*/?$`],
    [EVIL`^([a-zA-Z0-9])(([\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}([a-z]{2,3})$`],
    // Not to be judged.
    [EVIL`^(a)\1$`],
    [EVIL`^(?<q>["']).*\k<q>$`],
    [EVIL`(?i:a)`],
    [EVIL`^(?:[ab]{50}){50}$`],
  ])('%s', (pattern) => {
    expect(schemaFaults({ pattern })).toHaveLength(1)
    expect(schemaFaults({ patternProperties: { [pattern]: {} } })).toHaveLength(1)
  })
})

/** Whatever the length of the text. */
const GOOD = [
  EVIL`^[a-z0-9]+(-[a-z0-9]+)*$`,
  EVIL`^([a-z0-9-]+\.)+[a-z]{2,}$`,
  EVIL`^(?:\d{1,3}\.){3}\d{1,3}$`,
  EVIL`^(\+\d{1,3} )?\d+$`,
  EVIL`^(a|b)+$`,
  EVIL`^[(]+[)]*$`,
  EVIL`^\p{L}+(\s\p{L}+)?$`,
  EVIL`^[\p{L}\p{M}' -]{1,100}$`,
  EVIL`^\d{4}-\d{2}-\d{2}$`,
  EVIL`^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]\d{2}:\d{2})$`,
  EVIL`^(?:[01]\d|2[0-3]):[0-5]\d$`,
  EVIL`^(?=.*\d)(?=.*[a-z]).{8,}$`,
  EVIL`^(?!.*\.\.)[a-z.]+$`,
  EVIL`^(?:(?!foo).)*$`,
  EVIL`^[a-zA-Z0-9.!#$%&'*+/=?^_{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$`,
  EVIL`^[\w.%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}$`,
  EVIL`^[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`,
  EVIL`^[A-Z]{3}$`,
  EVIL`[A-Z]{2}`,
  EVIL`^[a-z]{2}(-[A-Z]{2})?$`,
  EVIL`^https?://[^\s/$.?#].[^\s]*$`,
  EVIL`^https?://`,
  EVIL`\S`,
  EVIL`^\S+$`,
  EVIL`^\s*\S[\s\S]*$`,
  EVIL`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$`,
  EVIL`^#(?:[0-9a-fA-F]{3}){1,2}$`,
  EVIL`^-?\d+(\.\d+)?$`,
  EVIL`^[\s\S]{1,500}$`,
  EVIL`^\+[1-9]\d{1,14}$`,
  EVIL`^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$`,
  EVIL`^\w+( \w+)*$`,
  EVIL`^.*a.{20}$`,
  EVIL`^arn:aws:[a-z0-9-]+:[a-z0-9-]*:\d{12}:.+$`,
  EVIL`^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$`,
  EVIL`^\/(?:[^/]+\/)*[^/]*$`,
  EVIL`^(.|[aeiou]|\n)$`,
  // These find what they look for at once, or fail at once.
  EVIL`(a+)+`,
  EVIL`(a|a)*`,
  EVIL`\d+`,
  EVIL`(?<=a)b`,
]

describe('a pattern that people use may be run on any text', () => {
  test.each(GOOD)('%s', (pattern) => {
    expect(patternUse(pattern)).toEqual({ kind: 'any-text' })
  })
})

/** Slower and slower on longer texts; how long a text they are run on. */
const SLOW: readonly (readonly [string, number])[] = [
  [EVIL`^[^\s@]+@[^\s@]+\.[^\s@]+$`, 256],
  [EVIL`^\S+@\S+\.\S+$`, 128],
  [EVIL`\S+@\S+`, 256],
  [EVIL`\s+$`, 256],
  [EVIL`^.*\S.*$`, 256],
  [EVIL`^\s*\s*x`, 256],
  [EVIL`^a*a*a*$`, 123],
  [EVIL`(-a+|b)*x`, 256],
]

describe('a pattern that takes longer and longer on longer texts is run on short ones', () => {
  test.each(SLOW)('%s: %i characters', (pattern, charsMax) => {
    expect(patternUse(pattern)).toMatchObject({ kind: 'short-text', charsMax })
    expect(schemaFaults({ pattern })).toEqual([])
  })

  test('and is no name: names under patternProperties have any length', () => {
    expect(schemaFaults({ patternProperties: { [EVIL`\s+$`]: {} } })).toMatchObject([
      { pointer: EVIL`/patternProperties/\s+$`, message: expect.stringContaining('long names') },
    ])
  })

  const email = { type: 'string', pattern: EVIL`^[^\s@]+@[^\s@]+\.[^\s@]+$` } as const
  const address = (chars: number) => `${'a'.repeat(chars - 4)}@b.c`

  test('256 characters of an email address, and not 257', () => {
    const schema = { type: 'object', properties: { to: email, text: { type: 'string' } } }
    const text = 'x'.repeat(100_000)
    expect(faults(schema, { to: address(256), text })).toEqual([])
    expect(faults(schema, { to: address(257), text })).toEqual([
      { pointer: '/to', message: 'must have at most 256 characters' },
    ])
    expect(faults(schema, { to: `${address(100)} `, text })).toEqual([
      { pointer: '/to', message: EVIL`must match the pattern ^[^\s@]+@[^\s@]+\.[^\s@]+$` },
    ])
    expect(faults(schema, { to: 'a', text: '' })).toHaveLength(1)
  })

  test('also behind references, in lists and beside other keywords', () => {
    const schema = {
      type: 'object',
      properties: {
        all: { type: 'array', items: { $ref: '#/$defs/email' } },
        one: { ...email, minLength: 9, allOf: [{ maxLength: 200 }] },
      },
      $defs: { email },
    }
    expect(faults(schema, { all: [address(256)], one: address(100) })).toEqual([])
    expect(faults(schema, { all: [address(80), address(257)], one: address(201) })).toEqual([
      { pointer: '/all/1', message: 'must have at most 256 characters' },
      { pointer: '/one', message: 'must have at most 200 characters' },
    ])
  })

  test('and what is data in a schema stays as it is', () => {
    const schema = { properties: { a: { const: { pattern: EVIL`\s+$` } }, b: email } }
    const b = address(90)
    expect(faults(schema, { a: { pattern: EVIL`\s+$` }, b })).toEqual([])
    expect(faults(schema, { a: { allOf: [] }, b })).toHaveLength(1)
  })

  test('of one value so much text, and not more', () => {
    const schema = { type: 'array', items: { type: 'string', pattern: EVIL`^a*a*a*$` } }
    const many = (count: number) => Array.from({ length: count }, () => 'a'.repeat(120))
    expect(faults(schema, many(20))).toEqual([])
    expect(faults(schema, many(23))).toEqual([
      { pointer: '', message: 'holds too much text for the patterns of its schema; send less' },
    ])
  })

  test('names of a value count as its texts: propertyNames has patterns for them', () => {
    const schema = { propertyNames: { pattern: email.pattern } }
    expect(faults(schema, { [address(256)]: 1 })).toEqual([])
    expect(faults(schema, { [`${'@.'.repeat(50_000)} `]: 1 })).toHaveLength(1)
  })
})

describe('a pattern that is stored and would be refused today is not run', () => {
  const evil = EVIL`^(a+)+$`
  const text = `${'a'.repeat(40)}!`
  const slow = EVIL`\s+$`
  const FAULT =
    'can take forever: (a+)+ can match one text in many ways; let no alternatives and no nested or ' +
    'neighbouring repetitions in it match the same characters'

  test('on short texts either', () => {
    expect(unusable({ pattern: evil })).toEqual({ pointer: '/pattern', message: FAULT })
    expect(faults({ pattern: evil }, text)).toEqual([
      {
        pointer: '',
        message: `cannot be checked: the schema of this skill at /pattern ${FAULT}`,
      },
    ])
  })

  test.each<[string, JsonObject]>([
    ['/properties/a/pattern', { properties: { a: { pattern: evil } } }],
    [`/patternProperties/${evil}`, { patternProperties: { [evil]: {} } }],
    [EVIL`/patternProperties/\s+$`, { patternProperties: { [slow]: {} } }],
    ['/propertyNames/pattern', { propertyNames: { pattern: evil } }],
    ['/dependencies/const/pattern', { dependencies: { const: { pattern: evil } } }],
    ['/x/pattern', { $ref: '#/x', x: { pattern: evil } }],
    ['/x/pattern', { $ref: '#/x', x: { pattern: slow } }],
    ['/pattern', { pattern: [evil] }],
    ['', { allOf: Array.from({ length: 65 }, () => ({ pattern: 'a' })) }],
  ])('at "%s"', (pointer, schema) => {
    expect(unusable(schema)).toMatchObject({ pointer })
  })

  test.each<[string, JsonObject]>([
    ['without patterns, whatever else is wrong with it', { required: ['a', 'a'], $ref: 'x:y' }],
    ['with sound patterns', { required: ['a', 'a'], pattern: '^a+$' }],
    ['with slow ones, which are run on short texts', { required: ['a', 'a'], pattern: slow }],
    ['with what only looks like a pattern', { 'x-note': { pattern: evil }, pattern: 'a' }],
    ['with a parameter of that name', { properties: { pattern: { type: 'string' } } }],
    ['with data', { const: { pattern: evil } }],
    ['with 64', { allOf: Array.from({ length: 64 }, () => ({ pattern: 'a' })) }],
  ])('and a schema is used %s', (_, schema) => {
    expect(unusable(schema)).toBeUndefined()
  })
})

describe('a refusal of a pattern says', () => {
  const message = (pattern: string) => schemaFaults({ pattern })[0]?.message

  test.each([
    [EVIL`^(a|a)*$`, '(a|a)*'],
    [EVIL`^x+(?:b|(a+)+)y*$`, '(a+)+'],
    [EVIL`^(?:[a-z]*)*$`, '(?:[a-z]*)*'],
    [`^(?:${'x'.repeat(90)}|a|a)*$`, `(?:${'x'.repeat(77)}…`],
  ])('which repetition of %s is ambiguous', (pattern, repeat) => {
    expect(message(pattern)).toContain(`can take forever: ${repeat} can match one text`)
  })

  test('what to do when no repetition is so by itself', () => {
    expect(message(EVIL`\s*\s*\s*x`)).toContain('begin it with ^')
  })

  test.each([['^.{1,4000}$'], [EVIL`^(\w{50}){50}$`]])(
    'maxLength for the counts of %s',
    (pattern) => {
      expect(message(pattern)).toContain('use maxLength and minLength for lengths over 2000')
    },
  )

  test('and 2000 is no count that is refused', () => {
    expect(message('^.{1,2000}$')).toBeUndefined()
  })
})

test('a pattern has 512 characters, and not 513', () => {
  expect(schemaFaults({ pattern: 'a'.repeat(512) })).toEqual([])
  expect(schemaFaults({ pattern: 'a'.repeat(513) })).toHaveLength(1)
})

test('a pattern that is written out has 2100 positions, and not 2101', () => {
  expect(patternUse('^[ab]{2098}$')).toEqual({ kind: 'any-text' })
  expect(patternUse('^[ab]{2099}$')).toMatchObject({ kind: 'refused' })
})

/** Patterns over two letters, as ambiguous as they come. */
const pattern = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(
      'a',
      'b',
      '.',
      '[ab]',
      '[^a]',
      ':',
      '[!=]',
      '[\\]b]',
      '$',
      '^',
      '\\b',
      '',
      '(?:|)',
    ),
    fc.tuple(tie('node'), tie('node')).map(([one, two]) => `(?:${one})(?:${two})`),
    fc.tuple(tie('node'), tie('node')).map(([one, two]) => `(?:${one}|${two})`),
    fc
      .tuple(tie('node'), fc.constantFrom('*', '+', '?', '*?', '{2}', '{0,2}', '{1,3}', '{2,}'))
      .map(([body, many]) => `(?:${body})${many}`),
    fc
      .tuple(fc.constantFrom('(?=', '(?!', '(?<=', '(?<!'), tie('node'))
      .map(([opens, body]) => `${opens}${body})`),
  ),
})).node

describe('the bound', () => {
  test('is never below what a backtracking engine takes', () => {
    let judged = 0
    const text = fc.string({ unit: fc.constantFrom('a', 'b', ':', '='), maxLength: 12 })
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 1, maxLength: 8 }), (source, texts) => {
        const cost = costOfPattern(source)
        const root = parsePattern(source)
        if (!cost.ok || !root.ok) return
        judged += 1
        for (const one of [...texts, 'aaaaaaaaaaaa', 'ababababab', 'aaaaaaaaa:']) {
          const taken = stepsTaken(root.value, one)
          expect(taken.matches).toBe(new RegExp(source, 'u').test(one))
          expect(taken.steps).toBeLessThanOrEqual(cost.value.upTo[one.length] ?? 0)
        }
      }),
      { numRuns: 500 },
    )
    expect(judged).toBeGreaterThan(200)
  })
})

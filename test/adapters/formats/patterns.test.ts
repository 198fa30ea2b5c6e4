import { RE2JS } from 're2js'
import { describe, expect, test } from 'vitest'
import { makeSchemasWithPatterns } from '../../../adapters/formats/json-schema.ts'
import { makeSchemasWithLatePatterns } from '../../../adapters/formats/late-patterns.ts'
import { findRe2Property } from '../../../adapters/formats/re2-atoms.ts'
import { translatePattern } from '../../../adapters/formats/re2-pattern.ts'
import type { Json, JsonObject } from '../../../core/json/json.ts'

const { faults, notices, schemaFaults } = makeSchemasWithPatterns()
const RAW = String.raw

const TOO_LONG =
  'takes over 3000000 steps to check against the patterns of its schema; send a shorter text'

/** Each has what the other engine reads in another way, or has no word for. */
const DIALECT = [
  '',
  RAW`^[a-z0-9]+(-[a-z0-9]+)*$`,
  RAW`^\p{L}+(\s\p{L}+)?$`,
  RAW`^[^\s@]+@[^\s@]+\.[^\s@]+$`,
  RAW`^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$`,
  RAW`^\s$`,
  RAW`^\S$`,
  RAW`^[\s]$`,
  RAW`^[^\s]$`,
  RAW`^[\S]$`,
  RAW`^[^\S]$`,
  RAW`^[\S\n]$`,
  '^.$',
  '.',
  'a$',
  '^$',
  RAW`^\d$`,
  RAW`^\D$`,
  RAW`^\w$`,
  RAW`^\W$`,
  RAW`^[\W_]$`,
  RAW`^[^\W\d]$`,
  RAW`\ba`,
  RAW`a\b`,
  RAW`\Ba`,
  RAW`^[\b]$`,
  RAW`^\u{1F600}$`,
  RAW`^\uD83D\uDE00$`,
  RAW`^[\u{1F600}-\u{1F64F}]$`,
  RAW`^[\uD83D\uDE00-\uD83D\uDE4F]$`,
  RAW`^\uD83D$`,
  RAW`\uDE00`,
  RAW`^[\uD800-\uDFFF]$`,
  RAW`^[^\uD800-\uDFFF]$`,
  RAW`^\x61\u0062$`,
  RAW`^\cI$`,
  RAW`^[\cj]$`,
  RAW`^\0$`,
  RAW`^[\t\n\v\f\r]$`,
  RAW`^\/\^\$\\\.\*\+\?\(\)\[\]\{\}\|$`,
  RAW`^[\-a]$`,
  RAW`^[a\-z]$`,
  '^[-a]$',
  '^[a-]$',
  '^[+--]$',
  '^[[:a]$',
  '^[^]$',
  '^[]$',
  'x[]|a',
  RAW`^(?<first>a)(?<sec$nd>b)?$`,
  '(a)|(?<n>b)|(?<n>c)',
  '^(?:a|)$',
  '^(a|b|)*$',
  '^a{2}$',
  '^a{2,}$',
  '^a{1,2}$',
  '^a{0}$',
  '^(?:ab?){2,3}?$',
  '^a??b+?a*?$',
  RAW`(?<=a)b`,
  RAW`(?<!a)b`,
  RAW`(?<=(a|b)c)a`,
  RAW`(?<=^.)b$`,
  RAW`^(?=.*\d)(?=.*[a-z]).{2,}$`,
  '^(?!a)',
  '^(?!.*ab).*$',
  '^(?=(a|b))(?!a(?:b|c)).*c',
  '^(?=)$',
  '^a|b$',
  RAW`\p{Lu}`,
  RAW`\P{L}`,
  RAW`^[\p{L}\d]$`,
  RAW`^[^\p{L}\P{N}]$`,
  RAW`^\p{General_Category=Uppercase_Letter}$`,
  RAW`^\p{gc=Nd}$`,
  RAW`^\p{Script=Greek}$`,
  RAW`^\p{sc=Latn}$`,
  RAW`^\p{Alphabetic}$`,
  RAW`^\p{Emoji}$`,
  RAW`^\p{ASCII}$`,
  RAW`^\p{Any}$`,
  RAW`^\p{White_Space}$`,
]

const TEXTS = [
  '',
  'a',
  'b',
  'c',
  'A',
  'ab',
  'aa',
  'ba',
  'bc',
  'abc',
  'aab',
  'acb',
  'bca',
  'abab',
  'aaab',
  '_',
  '-',
  '+',
  '0',
  '9',
  '9a',
  'a9',
  '\n',
  'a\n',
  '\na',
  'b\nb',
  '\r',
  '\t',
  '\v',
  '\f',
  '\0',
  '\b',
  ' ',
  'a b',
  '\u00a0',
  '\u0085',
  '\u180e',
  '\ufeff',
  '\u1680',
  '\u2000',
  '\u200a',
  '\u200b',
  '\u2028',
  '\u2029',
  '\u202f',
  '\u205f',
  '\u3000',
  '😀',
  '😀a',
  '🙏',
  '\ud83d',
  '\ude00',
  '\ud83da',
  'a\ude00',
  'é',
  'ß',
  'ſ',
  'K',
  'Σ',
  'я',
  '٣',
  '漢',
  'Ǆ',
  'ǅ',
  ':',
  '[',
  ']',
  '.',
  '^',
  '$',
  '/^$\\.*+?()[]{}|',
  'Jürgen Müller',
  'a-b-c',
  'x@y.z',
  '2026-01-31',
]

describe('a pattern means what ECMA-262 says', () => {
  test.each(DIALECT)('a text fits /%s/u here where it does there', (pattern) => {
    expect([schemaFaults({ pattern }), notices({ pattern })]).toEqual([[], []])
    const native = new RegExp(pattern, 'u')
    const here = TEXTS.filter((text) => faults({ pattern }, text).length === 0)
    expect(here).toEqual(TEXTS.filter((text) => native.test(text)))
  })

  test('each property that is known has the characters of ECMA-262', () => {
    const names = [
      'L',
      'Letter',
      'gc=Lu',
      'General_Category=Lowercase_Letter',
      'Lt',
      'LC',
      'Lm',
      'Lo',
      'M',
      'Mn',
      'Mc',
      'Me',
      'N',
      'Nd',
      'Nl',
      'No',
      'P',
      'Pc',
      'Pd',
      'Ps',
      'Pe',
      'Pi',
      'Pf',
      'Po',
      'S',
      'Sm',
      'Sc',
      'Sk',
      'So',
      'Z',
      'Zs',
      'Zl',
      'Zp',
      'Cc',
      'Cf',
      'Cs',
      'Co',
      'Any',
      'ASCII',
      'AHex',
      'Alphabetic',
      'Dash',
      'Emoji',
      'EComp',
      'EMod',
      'EBase',
      'EPres',
      'ExtPict',
      'Hex',
      'Lower',
      'Math',
      'QMark',
      'Upper',
      'space',
      ...'Arab Armn Beng Bopo Cher Zyyy Cyrl Deva Ethi Geor Grek Gujr Guru Hani Hang Hebr'
        .split(' ')
        .map(scriptName),
      ...'Hira Zinh Knda Kana Khmr Laoo Latn Mlym Mong Mymr Sinh Taml Telu Thaa Thai Tibt'
        .split(' ')
        .map(scriptName),
    ]
    for (const name of names) {
      const other = RE2JS.compile(`\\p{${findRe2Property(name)}}`)
      const native = new RegExp(`\\p{${name}}`, 'u')
      // Characters that are new in one of both versions of Unicode are assigned in the other one alone.
      const unlike = ASSIGNED.filter((one) => other.test(one) !== native.test(one))
      expect([name, unlike.slice(0, 9)]).toEqual([name, []])
    }
  })
})

function scriptName(code: string): string {
  return `Script=${code}`
}

/** Every seventh character, and all of the first 12,000. */
const ASSIGNED = Array.from({ length: 0x11_00_00 }, (_, code) => code)
  .filter((code) => code < 12_000 || code % 7 === 0)
  .map((code) => String.fromCodePoint(code))
  .filter((one) => /\P{Cn}/u.test(one))

describe('a pattern that would step back for ever elsewhere', () => {
  test.each<[string, string, boolean]>([
    [RAW`^(a+)+$`, `${'a'.repeat(60)}!`, false],
    [RAW`^(a+)+$`, 'a'.repeat(60), true],
    [RAW`(a|a)*$`, `${'a'.repeat(60)}!`, true],
    [RAW`^(\w+\s?)*$`, `${'a'.repeat(60)}!`, false],
    [RAW`^(?:\p{L}|\p{Ll})*$`, `${'é'.repeat(60)}!`, false],
    [RAW`^(?=(a+)+$)`, `${'a'.repeat(60)}!`, false],
    [RAW`a*a*a*a*a*b`, 'a'.repeat(20_000), false],
    [RAW`\s+$`, `${' '.repeat(1_000_000)}x`, false],
    [`^(?:${'(?:|||)'.repeat(10)}){9}b`, '', false],
    [RAW`^(?:(?:a|b)c?)*$`, 'a'.repeat(1_000_000), true],
    [RAW`^[A-Za-z0-9+/]*={0,2}$`, 'a'.repeat(1_000_000), true],
    [RAW`\P{L}\P{L}\P{L}\P{L}\P{L}\P{L}\P{L}\P{L}$`, 'ab12345678', true],
  ])('a text is judged by /%s/u', (pattern, text, fits) => {
    const message = `must match the pattern ${pattern}`
    const expected = fits ? [] : [{ pointer: '/a', message }]
    expect(faults({ properties: { a: { pattern } } }, { a: text })).toEqual(expected)
  })
})

describe('the steps of the patterns of one check', () => {
  /** A thousand characters need a thousand states of up to a thousand instructions. */
  const letters = { pattern: '[a-z]{1000}$' }
  /** Searched without states: 13 instructions for each character, and once more for the end. */
  const behind = { pattern: '(?<=a)[^]{5}$' }

  test('a text that needs too many states is refused with its place', () => {
    expect(faults(letters, `${'a'.repeat(1_000)}1`)).toEqual([
      { pointer: '', message: 'must match the pattern [a-z]{1000}$' },
    ])
    const schema = { properties: { a: { items: { pattern: '(?:a|b)*c?a[ab]{200}!' } } } }
    const text = 'aababbabaaabbbababbabababbaabbababaabab'.repeat(9).split('')
    const long = Array.from({ length: 40_000 }, (_, at) => text[(at * at) % text.length]).join('')
    expect(faults(schema, { a: ['b', long] })).toEqual([{ pointer: '/a/1', message: TOO_LONG }])
    expect(faults(schema, { a: ['aa'] })).toEqual([
      { pointer: '/a/0', message: 'must match the pattern (?:a|b)*c?a[ab]{200}!' },
    ])
  })

  test('3000000 steps are taken, and no more', () => {
    const size = 13
    const text = 'a'.repeat(Math.floor(3_000_000 / size) - 1)
    expect(faults(behind, text)).toEqual([])
    expect(faults(behind, `${text}a`)).toEqual([{ pointer: '', message: TOO_LONG }])
  })

  test('the patterns of one check share the steps, and the next check has its own', () => {
    const half = 'a'.repeat(120_000)
    expect(faults({ items: behind }, [half])).toEqual([])
    expect(faults({ items: behind }, [half, half])).toEqual([{ pointer: '/1', message: TOO_LONG }])
    expect(faults({ items: behind }, [half])).toEqual([])
  })

  test('the steps are counted in names and under propertyNames too', () => {
    const name = 'a'.repeat(250_000)
    const expected = [{ pointer: `/${name}`, message: TOO_LONG }]
    expect(faults({ patternProperties: { [behind.pattern]: true } }, { [name]: 1 })).toEqual(
      expected,
    )
    expect(faults({ propertyNames: behind }, { [name]: 1 })).toEqual(expected)
  })
})

describe('a pattern that is none', () => {
  test.each([
    ['(', 'is not a regular expression'],
    ['[z-a]', 'is not a regular expression'],
    [RAW`\-`, 'is not a regular expression'],
    ['(?P<name>a)', 'is not a regular expression'],
    [RAW`\Qa\E`, 'is not a regular expression'],
    ['(?i:a)', 'sets flags inside'],
    ['(?-s:a)', 'sets flags inside'],
    ['a'.repeat(513), 'has 513 characters'],
  ])('the schema is refused: %s', (pattern, message) => {
    expect(schemaFaults({ pattern })).toEqual([
      { pointer: '/pattern', message: expect.stringContaining(message) },
    ])
    expect(schemaFaults({ patternProperties: { [pattern]: {} } })).toHaveLength(1)
  })

  test('a pattern that only looks as if it had flags is accepted', () => {
    for (const pattern of [RAW`\(\?i:a`, '[(?i:a)]', '(?:i:a)']) {
      expect(schemaFaults({ pattern })).toEqual([])
    }
  })
})

describe('a pattern that no linear search can express', () => {
  const LOOKS = '^(?:(?!foo).)*$'

  test.each([
    [LOOKS, 'a lookahead can be checked only at the beginning'],
    ['a(?=b)', 'a lookahead can be checked only at the beginning'],
    ['(?=a)', 'a lookahead can be checked only at the beginning'],
    ['^(?=a)a|b', 'a lookahead can be checked only at the beginning'],
    ['b|^(?=a)', 'a lookahead can be checked only at the beginning'],
    ['^(?=a(?!b))', 'a lookahead can be checked only at the beginning'],
    [RAW`^(["']).*\1$`, 'a reference to what a group has matched cannot be checked'],
    [RAW`(?<n>a)\k<n>`, 'a reference to what a group has matched cannot be checked'],
    [
      RAW`\p{Script_Extensions=Greek}`,
      RAW`the property of \p{Script_Extensions=Greek} is not known`,
    ],
    ['a{1001}', 'it repeats a part over 1000 times; use minLength and maxLength for lengths'],
    ['(?:a{1000}){1000}', 'it repeats a part over 1000 times'],
    [RAW`^(?:(?:\w{50}){50})$`, 'it repeats a part over 1000 times'],
  ])('a pattern that is not checked is accepted with a notice: %s', (pattern, why) => {
    const message = expect.stringContaining(`is listed, but no value is checked against it: ${why}`)
    expect(schemaFaults({ pattern })).toEqual([])
    expect(notices({ properties: { a: { pattern } } })).toEqual([
      { pointer: '/properties/a/pattern', message },
    ])
    const pointer = `/patternProperties/${pattern.replaceAll('~', '~0').replaceAll('/', '~1')}`
    expect(notices({ patternProperties: { [pattern]: {} } })).toEqual([{ pointer, message }])
    expect(faults({ pattern }, 'foo')).toEqual([])
  })

  test.each<[string, JsonObject]>([
    ['what only looks like a pattern', { 'x-note': { pattern: LOOKS }, pattern: 'a' }],
    ['a parameter of that name', { properties: { pattern: { type: 'string' } } }],
    ['data', { const: { pattern: LOOKS } }],
  ])('there is no notice of %s', (_, schema) => {
    expect(notices(schema)).toEqual([])
  })

  test('a repetition of 1000 times is checked, also as counts in counts, and one of 1001 is not', () => {
    for (const pattern of ['^a{1000}$', '^(?:a{10}){100}$', '^a{0,1000}$', '^a{1000,}$']) {
      expect([pattern, notices({ pattern })]).toEqual([pattern, []])
      expect(faults({ pattern }, 'a'.repeat(1_000))).toEqual([])
      expect(faults({ pattern }, 'b')).toHaveLength(1)
    }
    for (const pattern of ['a{1001}', '(?:a{11}){91}', 'a{0,1001}', 'a{1001,}']) {
      expect([pattern, notices({ pattern })]).toEqual([pattern, [expect.anything()]])
    }
  })

  test('a pattern of 2000 parts, with its counts written out, is checked, and one of 2001 is not', () => {
    const pattern = '^(?:abc){499}d$'
    expect(notices({ pattern: `${pattern}d` })).toEqual([])
    expect(faults({ pattern }, `${'abc'.repeat(499)}d`)).toEqual([])
    expect(notices({ pattern: `${pattern}de` })).toEqual([
      { pointer: '/pattern', message: expect.stringContaining('it has over 2000 parts') },
    ])
  })

  test.each<[string, JsonObject, Json]>([
    ['not', { not: { pattern: LOOKS } }, 'a'],
    ['not, in not', { not: { not: { pattern: LOOKS } } }, 'a'],
    ['oneOf', { oneOf: [{ type: 'string' }, { pattern: LOOKS }] }, 'a'],
    ['if', conditional({ pattern: LOOKS }, false), 'a'],
    ['contains', { contains: { pattern: LOOKS }, maxContains: 0 }, ['a']],
    ['contains, at least', { contains: { pattern: LOOKS } }, ['a']],
    [
      'patternProperties',
      { patternProperties: { [LOOKS]: false }, additionalProperties: false },
      { a: 1 },
    ],
    [
      'unevaluatedProperties',
      { patternProperties: { [LOOKS]: false }, unevaluatedProperties: false },
      { a: 1 },
    ],
    ['propertyNames', { not: { propertyNames: { pattern: LOOKS } } }, { a: 1 }],
  ])('no value is refused because it may fit the pattern: %s', (_, schema, value) => {
    expect(schemaFaults(schema)).toEqual([])
    expect(faults(schema, value)).toEqual([])
  })

  test.each<[string, JsonObject, Json]>([
    ['beside it', { pattern: LOOKS, maxLength: 0 }, 'a'],
    ['beside it in not', { not: { anyOf: [{ type: 'string' }, { pattern: LOOKS }] } }, 'a'],
    ['in another item', { items: { pattern: LOOKS, type: 'string' } }, ['a', 1]],
    [
      'where no alternative fits',
      { oneOf: [{ pattern: LOOKS, type: 'null' }, { type: 'null' }] },
      'a',
    ],
    ['where the condition fails', conditional({ pattern: LOOKS, maxLength: 0 }, true, false), 'a'],
    [
      'of a named member',
      { properties: { a: false }, patternProperties: { [LOOKS]: true } },
      { a: 1 },
    ],
  ])('a value is still refused for what else is wrong: %s', (_, schema, value) => {
    expect(faults(schema, value)).not.toEqual([])
  })
})

/** By entries: an object that is written with `then` looks like a promise. */
function conditional(when: Json, holds: Json, fails: Json = true): JsonObject {
  return Object.fromEntries([
    ['if', when],
    ['then', holds],
    ['else', fails],
  ])
}

describe('the program of a translated pattern', () => {
  test.each([
    ['a{0,1000}', 2_010],
    ['(?:a?b?){500}', 2_010],
    ['(?:\\b){1000}', 2_010],
    ['(?:|||){400}', 4_010],
    [`(?:${'|'.repeat(500)})`, 2_010],
    ['(?:(?<=a)b){200}', 2_010],
    [RAW`(?:\p{L}|[^\p{Lu}a-z]){250}`, 2_010],
  ])('the program of %s has at most %i instructions', (pattern, most) => {
    const translation = translatePattern(pattern)
    if (translation.kind !== 'searches') throw new Error(translation.why)
    for (const { source } of translation.searches) {
      expect(RE2JS.compile(source, RE2JS.LOOKBEHINDS).programSize()).toBeLessThanOrEqual(most)
    }
  })
})

describe('patterns that are loaded late', () => {
  const schema = { pattern: '^a$' }

  test('a schema with a pattern is checked once it was opened, and not before', async () => {
    const late = makeSchemasWithLatePatterns()
    expect(late.faults(schema, 'a')).toEqual([
      { pointer: '', message: 'cannot be checked against the schema of this skill (Fault)' },
    ])
    await late.open(schema)
    expect(late.faults(schema, 'a')).toEqual([])
    expect(late.faults(schema, 'b')).toHaveLength(1)
  })

  test('a schema without a pattern opens nothing', async () => {
    const late = makeSchemasWithLatePatterns()
    await late.open({ type: 'string' })
    expect(late.faults({ type: 'string' }, 1)).toHaveLength(1)
    expect(late.faults(schema, 'b')[0]?.message).toContain('cannot be checked')
  })
})

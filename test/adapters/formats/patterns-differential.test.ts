/** Random patterns and texts are judged alike by the check of patterns and by the `RegExp` of Node. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { makeSchemasWithPatterns } from '../../../adapters/formats/json-schema.ts'

/** FUZZ_RUNS=100000 for a long run. */
const RUNS = 1.5 * Number(process.env['FUZZ_RUNS'] ?? 600)
const SEED = Number(process.env['FUZZ_SEED'] ?? 1)

const RAW = String.raw
const ESCAPES = [
  RAW`\d`,
  RAW`\D`,
  RAW`\w`,
  RAW`\W`,
  RAW`\s`,
  RAW`\S`,
  RAW`\n`,
  RAW`\t`,
  RAW`\v`,
  RAW`\0`,
  RAW`\cJ`,
  RAW`\x61`,
  RAW`\u0062`,
  RAW`\u{1F600}`,
  RAW`\uD83D\uDE00`,
  RAW`\uD83D`,
  RAW`\uDE00`,
  RAW`\p{L}`,
  RAW`\P{L}`,
  RAW`\p{Lu}`,
  RAW`\p{Script=Greek}`,
  RAW`\p{Emoji}`,
  RAW`\p{ASCII}`,
  RAW`\.`,
  RAW`\/`,
  RAW`\]`,
]
const LITERALS = ['a', 'b', 'c', '-', '0', '9', ' ', 'é', '😀', '\u2028', '_', 'ſ', 'K', 'Σ']
const IN_CLASS = [
  '[',
  '^',
  '.',
  '$',
  ':',
  '(',
  RAW`\-`,
  RAW`\b`,
  'a-c',
  '0-9',
  RAW`\x00-\x1f`,
  RAW`\uD800-\uDFFF`,
]
const QUANTIFIERS = [
  '',
  '',
  '',
  '',
  '*',
  '+',
  '?',
  '{2}',
  '{1,2}',
  '{0}',
  '{1,}',
  '{0,3}',
  '*?',
  '+?',
  '??',
  '{2,3}?',
]
const CHARACTERS = [
  'a',
  'b',
  'c',
  '-',
  '0',
  '9',
  ' ',
  'é',
  '😀',
  '\u2028',
  '\n',
  '\r',
  '\t',
  '\v',
  '\0',
  '\b',
  '\ud83d',
  '\ude00',
  'Σ',
  'A',
  '.',
  '/',
  '_',
  '$',
  '\u00a0',
  '\ufeff',
  '\u180e',
  '\u0085',
  '[',
  ']',
  ':',
  'K',
  'ſ',
  '漢',
  '\uffff',
  '\u{10ffff}',
]

const klass = fc
  .tuple(
    fc.constantFrom('[', '[^'),
    fc.array(fc.constantFrom(...LITERALS, ...ESCAPES, ...IN_CLASS), { maxLength: 4 }),
  )
  .map(([open, members]) => `${open}${members.join('')}]`)

const { any } = fc.letrec<{ any: string; term: string; sequence: string }>((tie) => ({
  any: fc.array(tie('sequence'), { minLength: 1, maxLength: 3 }).map((all) => all.join('|')),
  sequence: fc.array(tie('term'), { maxLength: 4 }).map((all) => all.join('')),
  term: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc
      .tuple(
        fc.oneof(fc.constantFrom(...LITERALS, ...ESCAPES, '.'), klass),
        fc.constantFrom(...QUANTIFIERS),
      )
      .map(([atom, times]) => `${atom}${times}`),
    fc.constantFrom('^', '$', RAW`\b`, RAW`\B`),
    fc
      .tuple(fc.constantFrom('(', '(?:'), tie('any'), fc.constantFrom(...QUANTIFIERS))
      .map(([open, inner, times]) => `${open}${inner})${times}`),
    fc
      .tuple(fc.constantFrom('(?<=', '(?<!'), tie('any'))
      .map(([open, inner]) => `${open}${inner})`),
  ),
}))

/** With lookaheads at the beginning, or without. */
const pattern = fc.oneof(
  any,
  fc
    .tuple(fc.array(fc.tuple(fc.constantFrom('(?=', '(?!'), any), { maxLength: 2 }), any)
    .map(
      ([looks, rest]) => `^${looks.map(([open, inner]) => `${open}${inner})`).join('')}(?:${rest})`,
    ),
)
const text = fc.array(fc.constantFrom(...CHARACTERS), { maxLength: 8 }).map((all) => all.join(''))

function compiled(source: string): RegExp | undefined {
  try {
    return new RegExp(source, 'u')
  } catch {
    return undefined
  }
}

test('our check and Node agree on random patterns and texts', () => {
  const { faults, notices, schemaFaults } = makeSchemasWithPatterns()
  let compared = 0
  fc.assert(
    fc.property(pattern, fc.array(text, { minLength: 1, maxLength: 8 }), (source, texts) => {
      const native = source.length > 512 ? undefined : compiled(source)
      if (native === undefined) return
      const schema = { pattern: source }
      expect([schemaFaults(schema), notices(schema)]).toEqual([[], []])
      for (const one of texts) {
        // Node looks for \B between the halves of a surrogate pair as well, which ECMA-262 does not.
        if (source.includes(RAW`\B`) && /[\u{10000}-\u{10ffff}]/u.test(one)) continue
        expect([one, faults(schema, one).length === 0]).toEqual([one, native.test(one)])
        compared += 1
      }
    }),
    { numRuns: RUNS, seed: SEED },
  )
  expect(compared).toBeGreaterThan(RUNS)
})

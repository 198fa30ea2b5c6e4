/** A schema that is found too large from known sizes is one that is too large when it is written. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../../core/json/json.ts'
import {
  isKnownTooLarge,
  REMEMBERED_SIZES_MAX,
  rememberSize,
  type Size,
} from '../../../core/openapi/definition-sizes.ts'
import { makeSchemaClosure } from '../../../core/openapi/schema-closure.ts'
import type { Detail } from '../../../core/openapi/schema-definitions.ts'

const NAMES = ['A', 'B', 'C', 'D', 'E', 'F']
const reference = fc.constantFrom(...NAMES).map((name) => ({ $ref: `#/schemas/${name}` }))
const texts = fc.record({
  type: fc.constant('string'),
  description: fc.string({ maxLength: 60 }),
  writeOnly: fc.boolean(),
})
const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small', maxDepth: 4 },
    reference,
    texts,
    fc.record({ type: fc.constant('array'), items: tie('schema') }),
    fc.record({ allOf: fc.array(tie('schema'), { maxLength: 3 }) }),
    fc.record({
      type: fc.constant('object'),
      properties: fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), tie('schema')),
    }),
    fc.record({
      oneOf: fc.array(reference, { minLength: 1, maxLength: 3 }),
      discriminator: fc.constant({ propertyName: 'kind' }),
    }),
  ),
}))
const documents = fc.record({
  schemas: fc.record({ A: schema, B: schema, C: schema, D: schema, E: schema, F: schema }),
})
const details: fc.Arbitrary<Detail> = fc.record({
  side: fc.constantFrom('input', 'output'),
  hasDescriptions: fc.boolean(),
  levelsMax: fc.constantFrom(24, 6, 4, 2, 0),
  bytesMax: fc.integer({ min: 50, max: 1_500 }),
})

function writtenBy(document: JsonObject, detail: Detail, root: JsonObject): unknown {
  const closure = makeSchemaClosure(document, detail)
  const whole = [closure.write(root), closure.definitions()]
  if (closure.isTooLarge()) return 'too large'
  return { whole, isRecursive: closure.isRecursive(), losses: closure.losses }
}

test('each of many schemas of a document is written as it is from a fresh copy of the document', () => {
  let tooLarge = 0
  fc.assert(
    fc.property(documents, fc.array(details, { maxLength: 4 }), (document, all) => {
      for (const detail of [...all, ...all]) {
        for (const name of NAMES) {
          const root = { type: 'array', items: { $ref: `#/schemas/${name}` } }
          const alone = writtenBy(structuredClone(document), detail, root)
          expect(writtenBy(document, detail, root)).toEqual(alone)
          if (alone === 'too large') tooLarge += 1
        }
      }
    }),
    { numRuns: 300 },
  )
  expect(tooLarge).toBeGreaterThan(100)
})

const DETAIL: Detail = { side: 'input', hasDescriptions: true, levelsMax: 6, bytesMax: 100 }
const to = (name: string, level: number) => ({ to: name, form: 'whole', level }) as const
const sized = (bytes: number, ...references: Size['references']): Size => ({
  bytes,
  references,
  levels: 1,
})

test('a schema is over the limit with its definitions at one byte more than the limit', () => {
  const isOver = (bytes: number) => {
    const document = {}
    rememberSize(document, DETAIL, to('a', 1), sized(40, to('b', 1)))
    rememberSize(document, DETAIL, to('b', 2), sized(bytes, to('a', 1)))
    return isKnownTooLarge(document, DETAIL, sized(10, to('a', 1), to('b', 1)))
  }
  expect([isOver(50), isOver(51)]).toEqual([false, true])
})

test('nothing is known of a schema that reaches a definition too deep to be written whole', () => {
  const isKnown = (level: number) => {
    const document = {}
    rememberSize(document, DETAIL, to('a', 0), sized(200))
    return isKnownTooLarge(document, DETAIL, sized(0, to('a', level)))
  }
  expect([isKnown(4), isKnown(5)]).toEqual([true, false])
})

test('a document has room for REMEMBERED_SIZES_MAX definitions and references, and not for one more', () => {
  const document = {}
  const many = Array.from({ length: REMEMBERED_SIZES_MAX - 2 }, () => to('x', 1))
  rememberSize(document, DETAIL, to('many', 0), sized(200, ...many))
  rememberSize(document, DETAIL, to('last', 0), sized(200))
  rememberSize(document, DETAIL, to('one more', 0), sized(200))
  const isKnown = (name: string) => isKnownTooLarge(document, DETAIL, sized(0, to(name, 0)))
  expect(['many', 'last', 'one more'].map(isKnown)).toEqual([true, true, false])
})

/** Arguments that a caller may send in the hope that an upstream reads `tenant`. */
import fc from 'fast-check'
import type { Json, JsonObject } from '../../../core/json/json.ts'

/** Spellings that one server or another reads as `tenant`, or as a part of it. */
const SPELLINGS = [
  'tenant',
  'Tenant',
  ' tenant',
  'tenant ',
  'tenant[]',
  'tenant[0]',
  'tenant[x]',
  '[tenant]',
  'tenant.x',
  'ten%61nt',
  'ten%2561nt',
  '+tenant',
  'tenant\u0000x',
  'tenant]',
  'tenant[',
]
const name = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom(...SPELLINGS) },
  {
    weight: 3,
    arbitrary: fc.constantFrom('a', 'b', 'owner', 'api_key', 'a b', 'a.b', 'a[b]', 'x-tenant'),
  },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }) },
)
const scalar = fc.oneof(fc.string({ maxLength: 8 }), fc.integer(), fc.constant(null))
export const inner: fc.Arbitrary<Json> = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 3 }),
  fc.dictionary(name, scalar, { maxKeys: 3 }),
)
/** Many members: qs reads a thousand pairs and ignores those behind them. */
const many = fc.constant(
  Object.fromEntries(Array.from({ length: 1_200 }, (_, index) => [index.toString(36), ''])),
)
export const object: fc.Arbitrary<JsonObject> = fc.oneof(
  { weight: 9, arbitrary: fc.dictionary(name, inner, { maxKeys: 4 }) },
  { weight: 2, arbitrary: many },
)

/** `fail_if`, `ok_statuses` and `show_headers` of `config.response`, as sync judges them. */
import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../../core/json/json.ts'
import { faults, good, withConfig } from '../reading.ts'

const skill = (response: JsonObject, more: JsonObject = {}) =>
  good(withConfig({ ...more, response })).skill
const wrong = (response: JsonObject, more: JsonObject = {}) =>
  faults(withConfig({ ...more, response }))
const CONDITION = { pointer: '/ok', equals: false }

describe('fail_if', () => {
  test('takes one condition, or a list of them', () => {
    const equals = { kind: 'equals', pointer: '/ok', value: false }
    expect(skill({ fail_if: CONDITION }).failIf).toEqual([equals])
    expect(skill({ fail_if: [CONDITION, { contains: 'Error:\n' }] }).failIf).toEqual([
      equals,
      { kind: 'contains', text: 'Error:\n' },
    ])
  })

  test.each<[Json]>([[null], [[]]])('of %j has no condition', (value) => {
    expect(skill({ fail_if: value })).not.toHaveProperty('failIf')
  })

  test.each<[Json]>([['text'], [''], [0], [-1.5], [true], [null]])('compares with %j', (equals) => {
    expect(skill({ fail_if: { pointer: '', equals } }).failIf).toMatchObject([{ value: equals }])
  })

  test.each<[string, Json]>([
    ['a text', '/ok'],
    ['a pointer alone', { pointer: '/ok' }],
    ['equals alone', { equals: 1 }],
    ['a slip in a name', { pointer: '/ok', equal: false }],
    ['both kinds at once', { ...CONDITION, contains: 'x' }],
    ['a member too many', { ...CONDITION, note: 'x' }],
    ['a list to equal', { pointer: '/ok', equals: [1] }],
    ['an object to equal', { pointer: '/ok', equals: {} }],
    ['a pointer without a slash', { pointer: 'ok', equals: 1 }],
    ['a broken pointer', { pointer: '/a~2', equals: 1 }],
    ['an empty text', { contains: '' }],
    ['a number to contain', { contains: 7 }],
  ])('refuses %s and names its place', (_what, condition) => {
    const refused = wrong({ fail_if: [{ contains: 'x' }, condition] })
    expect(refused).toEqual([
      expect.stringMatching(/^\/config\/response\/fail_if\/1 must be \{"pointer"/),
    ])
  })

  test('takes 8 conditions, pointers of 512 and texts of 256 characters, and not one more', () => {
    const [fits, long] = ['x'.repeat(256), 'x'.repeat(257)]
    expect(wrong({ fail_if: Array(8).fill(CONDITION) })).toEqual([])
    expect(wrong({ fail_if: Array(9).fill(CONDITION) })).toHaveLength(1)
    expect(wrong({ fail_if: [{ contains: fits }, { pointer: '/a', equals: fits }] })).toEqual([])
    expect(wrong({ fail_if: [{ contains: long }, { pointer: '/a', equals: long }] })).toHaveLength(
      2,
    )
    expect(wrong({ fail_if: { pointer: `/${'a'.repeat(511)}`, equals: 1 } })).toEqual([])
    expect(wrong({ fail_if: { pointer: `/${'a'.repeat(512)}`, equals: 1 } })).toHaveLength(1)
  })

  test('with a pointer does not go with text, and no condition goes with HEAD', () => {
    expect(wrong({ as: 'text', fail_if: { contains: 'x' } })).toEqual([])
    expect(wrong({ as: 'text', fail_if: CONDITION })).toEqual([
      expect.stringContaining('/config/response/fail_if has a pointer'),
    ])
    expect(wrong({ fail_if: { contains: 'x' } }, { method: 'HEAD' })).toEqual([
      expect.stringContaining('/config/response/fail_if needs a body'),
    ])
  })
})

describe('ok_statuses', () => {
  test('are statuses of 4xx, each once', () => {
    expect(skill({ ok_statuses: [404, 410, 404] }).okStatuses).toEqual([404, 410])
    expect(skill({ ok_statuses: [400, 499] }).okStatuses).toEqual([400, 499])
    expect(skill({ ok_statuses: null })).not.toHaveProperty('okStatuses')
  })

  test.each<[Json]>([
    [404],
    ['404'],
    [[399]],
    [[500]],
    [[401]],
    [[407]],
    [[429]],
    [[404.5]],
    [['404']],
  ])('the statuses %j are refused', (value) => {
    expect(wrong({ ok_statuses: value })).toEqual([
      expect.stringContaining('/config/response/ok_statuses must be a list of at most 16'),
    ])
  })

  test('are at most 16', () => {
    const statuses = (count: number) => Array.from({ length: count }, (_, at) => 430 + at)
    expect(wrong({ ok_statuses: statuses(16) })).toEqual([])
    expect(wrong({ ok_statuses: statuses(17) })).toHaveLength(1)
  })
})

describe('show_headers', () => {
  test('are names of the list, in any case', () => {
    expect(skill({ show_headers: ['Link', 'LOCATION', 'link'] }).shownHeaders).toEqual([
      'link',
      'location',
    ])
    expect(skill({ show_headers: [] })).not.toHaveProperty('shownHeaders')
  })

  test.each([
    ['set-cookie'],
    ['Set-Cookie'],
    ['authorization'],
    ['www-authenticate'],
    ['x-api-key'],
    ['x-amz-security-token'],
    ['server'],
    [''],
  ])('the header %j is refused with its place', (name) => {
    expect(wrong({ show_headers: ['link', name] })).toEqual([
      expect.stringContaining(
        '/config/response/show_headers/1 is not a header that a skill may show',
      ),
    ])
  })

  test('that are no list are refused', () => {
    expect(wrong({ show_headers: 'link' })).toEqual([expect.stringContaining('must be a list')])
    expect(wrong({ show_headers: [7] })).toHaveLength(1)
  })
})

import { describe, expect, test } from 'vitest'
import { checkMirroredParams, findMirroredParams } from '../../../core/call/mirrored-params.ts'
import type { Json, JsonObject } from '../../../core/json/json.ts'

const REGION = { type: 'string', 'x-mcp-header': 'Region' }
const PARAMETERS: JsonObject = {
  type: 'object',
  properties: {
    region: REGION,
    count: { type: 'integer', 'x-mcp-header': 'X-Count' },
    dry: { type: 'boolean', 'x-mcp-header': 'Dry' },
    plain: { type: 'string' },
    deep: { type: 'object', properties: { zone: { ...REGION, 'x-mcp-header': 'Zone' } } },
  },
}

function fault(args: JsonObject, headers: { readonly [name: string]: string }) {
  return checkMirroredParams(findMirroredParams(PARAMETERS), args, headers)
}

describe('annotated parameters', () => {
  test('are found under properties, however deep', () => {
    expect(findMirroredParams(PARAMETERS)).toEqual([
      { path: ['region'], header: 'region' },
      { path: ['count'], header: 'x-count' },
      { path: ['dry'], header: 'dry' },
      { path: ['deep', 'zone'], header: 'zone' },
    ])
  })

  test('are found nowhere else', () => {
    const under = { type: 'object', properties: { region: REGION } }
    const schema = {
      properties: { list: { type: 'array', items: under }, any: { anyOf: [under], not: under } },
      allOf: [under],
      if: under,
      else: under,
      $defs: { under },
      patternProperties: { x: REGION },
    }
    expect(findMirroredParams(schema)).toEqual([])
    expect(
      findMirroredParams({ type: 'object', properties: { a: true, b: { 'x-mcp-header': 1 } } }),
    ).toEqual([])
  })

  test('of one schema are found once', () => {
    expect(findMirroredParams(PARAMETERS)).toBe(findMirroredParams(PARAMETERS))
  })
})

describe('mirrored headers', () => {
  // Holds: HDR-5, HDR-7, HDR-9
  test.each<[JsonObject, { readonly [name: string]: string }]>([
    [{}, {}],
    [{ region: null, deep: null }, {}],
    [{ region: 'us-west1' }, { region: 'us-west1' }],
    [{ region: 'us-west1' }, { region: ' us-west1\t' }],
    [{ region: 'Köln' }, { region: '=?base64?S8O2bG4=?=' }],
    [{ region: '' }, { region: '' }],
    [{ region: '' }, { region: '=?base64??=' }],
    [{ region: '=?base64?x' }, { region: '=?base64?x' }],
    [{ count: 42 }, { 'x-count': '42' }],
    [{ count: 42 }, { 'x-count': '42.0' }],
    [{ count: -1 }, { 'x-count': '-1' }],
    [{ dry: true }, { dry: 'true' }],
    [{ dry: false }, { dry: 'false' }],
    [{ deep: { zone: 'a' } }, { zone: 'a' }],
    [{ plain: 'x' }, { plain: 'y', other: 'z' }],
  ])('the arguments %j are mirrored by %j', (args, headers) => {
    expect(fault(args, headers)).toBeUndefined()
  })

  // Holds: HDR-4, HDR-6, HDR-8
  test.each<[Json, string | undefined, string]>([
    ['us', undefined, 'is missing, although its argument was sent'],
    ['', undefined, 'is missing, although its argument was sent'],
    ['us', 'eu', 'differs from its argument'],
    ['us', 'US', 'differs from its argument'],
    ['us', '', 'differs from its argument'],
    ['us', 'us, us', 'differs from its argument'],
    ['Köln', 'K\u00f6ln', 'is neither visible ASCII nor well-formed base64'],
    ['Hello', '=?base64?SGVsbG8?=', 'is neither visible ASCII nor well-formed base64'],
    ['Hello', '=?base64?SGVs!!!bG8=?=', 'is neither visible ASCII nor well-formed base64'],
    [null, 'us', 'was sent without its argument'],
    [{ a: 1 }, '{"a":1}', 'differs from its argument'],
    [1, '', 'differs from its argument'],
    [1, '0x1', 'differs from its argument'],
    [1, ' ', 'differs from its argument'],
    [1, '1 ', ''],
    [1, 'true', 'differs from its argument'],
    [true, '1', 'differs from its argument'],
    [true, 'True', 'differs from its argument'],
  ])('the argument %j with the header %j is a fault', (region, header, how) => {
    const found = fault({ region }, header === undefined ? {} : { region: header })
    expect(found).toBe(how === '' ? undefined : `Mcp-Param-region: ${how} (region).`)
  })

  test('are named with the place of their argument in faults', () => {
    expect(fault({ deep: { zone: 'a' } }, {})).toBe(
      'Mcp-Param-zone: is missing, although its argument was sent (deep.zone).',
    )
  })

  test('reach no prototype', () => {
    const schema = { properties: { x: { 'x-mcp-header': 'constructor' } } }
    expect(checkMirroredParams(findMirroredParams(schema), { x: 'y' }, {})).toContain('is missing')
  })
})

import { describe, expect, test } from 'vitest'
import { makeCsvToJsonHook } from '../../../adapters/hooks/csv-to-json.ts'
import { LATE_CONVERTERS } from '../../../adapters/hooks/registry.ts'
import type { UpstreamResponse } from '../../../core/call/upstream.ts'
import type { JsonObject } from '../../../core/json/json.ts'
import { describeHook } from '../../contracts/hook-contract.ts'
import { contextOf, type HookCase, responseOf } from '../../contracts/hook-rounds.ts'

const CASE: HookCase = {
  make: () => makeCsvToJsonHook(LATE_CONVERTERS),
  options: { delimiter: 'comma', header: 'first_row', media_type: 'text/plain' },
  badOptions: [
    ['another delimiter', { delimiter: ',' }, '/delimiter'],
    ['another header', { header: true }, '/header'],
    ['a type with its charset', { media_type: 'text/plain; charset=utf-8' }, '/media_type'],
    ['a type in capitals', { media_type: 'Text/Plain' }, '/media_type'],
  ],
  secrets: {},
  response: csv('a,b\n1,2\n'),
}

describeHook('csv_to_json', CASE)

function csv(text: string, more: Partial<UpstreamResponse> = {}): UpstreamResponse {
  return responseOf(text, { mediaType: 'text/csv', ...more })
}

/** The JSON, the failure's text, or undefined when the answer stayed as it was. */
async function converted(response: UpstreamResponse, options: JsonObject = {}) {
  const after = await makeCsvToJsonHook(LATE_CONVERTERS).after?.(
    response,
    contextOf(CASE, { options }),
  )
  if (after?.ok === false) return after.error.detail
  if (after?.ok !== true || after.value === 'again' || after.value === response) return undefined
  expect(after.value).toMatchObject({ mediaType: 'application/json', charset: 'utf-8' })
  return JSON.parse(new TextDecoder().decode(after.value.body))
}

describe('a CSV answer', () => {
  test('becomes columns and rows, every value a text', async () => {
    expect(
      await converted(csv('city,zip,note\r\nOslo,0150,"a, b\r\nc"\r\nÅs,,"say ""hi"""\r\n')),
    ).toEqual({
      columns: ['city', 'zip', 'note'],
      rows: [
        { city: 'Oslo', zip: '0150', note: 'a, b\r\nc' },
        { city: 'Ås', zip: '', note: 'say "hi"' },
      ],
    })
  })

  test('without a header has rows of lists', async () => {
    expect(await converted(csv('1,2\n3\n'), { header: 'none' })).toEqual({
      rows: [['1', '2'], ['3']],
    })
  })

  test.each<[string, string, JsonObject]>([
    ['text/csv', 'a,b\n1,2', {}],
    ['text/tab-separated-values', 'a\tb\n1\t2', {}],
    ['text/csv', 'a;b\n1;2', { delimiter: 'semicolon' }],
    ['text/csv', 'a|b\n1|2', { delimiter: 'pipe' }],
    ['text/csv', '\uFEFFa\tb\n1\t2', { delimiter: 'tab' }],
    ['text/plain', 'a,b\n\n1,2\n\n', { media_type: 'text/plain' }],
  ])('an answer of type %s reads %j with %j', async (mediaType, text, options) => {
    expect(await converted(csv(text, { mediaType }), options)).toEqual({
      columns: ['a', 'b'],
      rows: [{ a: '1', b: '2' }],
    })
  })

  test('names columns that have no name of their own', async () => {
    expect(await converted(csv('a,,a,a_2, \n1,2,3,4,5'))).toEqual({
      columns: ['a', 'column_2', 'a_2', 'a_2_2', 'column_5'],
      rows: [{ a: '1', column_2: '2', a_2: '3', a_2_2: '4', column_5: '5' }],
    })
  })

  test('may have rows that are shorter than its header, and none that are longer', async () => {
    expect(await converted(csv('a,b\n1'))).toEqual({ columns: ['a', 'b'], rows: [{ a: '1' }] })
    expect(await converted(csv('a,b\n1,2\n1,2,3'))).toBe(
      "The upstream's CSV has 3 values in row 3 and 2 columns in its header.",
    )
  })

  test('that is only line ends has no columns', async () => {
    expect(await converted(csv('\n\n'))).toEqual({ columns: [], rows: [] })
  })

  test.each([['a,"b\n1,2\n'], ['a,b\n1,"2"x\n']])(
    'with a quote out of place fails: %j',
    async (text) => {
      expect(await converted(csv(text))).toMatch(
        /^The upstream's CSV has a quote out of place in row \d\.$/,
      )
    },
  )

  test('of no known type stays as it is', async () => {
    expect(await converted(csv('a,b', { mediaType: 'text/plain' }))).toBeUndefined()
    expect(await converted(csv('a,b', { status: 404 }))).toBeUndefined()
  })
})

describe('limits of CSV', () => {
  test('CSV of 512000 bytes is read, and of one byte more is not', async () => {
    const text = (bytes: number) => `a\n${'x'.repeat(bytes - 2)}`
    expect(await converted(csv(text(512_000)))).toHaveProperty('rows.0.a.length', 511_998)
    expect(await converted(csv(text(512_001)))).toContain('is larger than 512000 bytes')
  })

  test('CSV of 10000 lines is read, and of one line more is not, even when all are empty', async () => {
    expect(await converted(csv(`a\n${'1\n'.repeat(9_998)}1`))).toHaveProperty('rows.length', 9_999)
    expect(await converted(csv(`a\n${'1\n'.repeat(9_999)}1`))).toContain('over 10000 lines')
    expect(await converted(csv('\n'.repeat(500_000)))).toContain('over 10000 lines')
  })

  test('CSV of 512 columns is read, and of one column more is not', async () => {
    const row = (columns: number) => Array.from({ length: columns }, (_, at) => `c${at}`).join()
    expect(await converted(csv(row(512)))).toHaveProperty('columns.length', 512)
    expect(await converted(csv(row(513)))).toContain('over 512 columns')
    expect(await converted(csv(','.repeat(511_000)))).toContain('over 512 columns')
  })

  test('JSON of 1024000 characters is written from CSV, and one character more is refused', async () => {
    const text = (lastChars: number) =>
      `${'n'.repeat(1_012)}\n${'1\n'.repeat(1_000)}${'2'.repeat(lastChars)}\n`
    expect(await converted(csv(text(943)))).toHaveProperty('rows.length', 1_001)
    expect(await converted(csv(text(944)))).toContain('over 1024000 characters of JSON')
  })

  test('long names times many rows of CSV are refused before the JSON is written', async () => {
    // 420 kB, of which 3 GB of JSON would be made.
    const wide = `${'n'.repeat(400_000)}\n${'1\n'.repeat(8_000)}`
    expect(await converted(csv(wide))).toContain('over 1024000 characters of JSON')
  })
})

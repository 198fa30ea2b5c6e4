/** Tables at 80 and 120 columns and in a pipe. */
import { expect, test } from 'vitest'
import { type Column, formatTable, toOneLine } from '../../cli/terminal/table.ts'

type Row = {
  readonly skill: string
  readonly atMs: number
  readonly price: number
  readonly outcome: string
  readonly says: string
  readonly call: string
}

const NOW_MS = Date.parse('2026-11-23T00:00:00Z')
const AT_MS = 1795384655856

const COLUMNS: readonly Column<Row>[] = [
  { head: 'SKILL', field: 'skill', kind: 'name' },
  { head: 'UPDATED', field: 'atMs', kind: 'time' },
  { head: 'OUTCOME', field: 'outcome', kind: 'state' },
  { head: 'PRICE', field: 'price', right: true },
  { head: 'SAYS', field: 'says' },
  { head: 'CALL', field: 'call', kind: 'id' },
]
const ROWS: readonly Row[] = [
  {
    skill: 'sg_weather',
    atMs: AT_MS,
    price: 0.5,
    outcome: 'settled',
    says: 'Tells the (made-up, always the same) weather in a city, and nothing else of it.',
    call: 'Zm9vYmFyYmF6cXV4MTIzNA',
  },
  {
    skill: 'sg_a_skill',
    atMs: AT_MS,
    price: 12,
    outcome: 'refunded',
    says: 'Short.',
    call: '-m9vYmFyYmF6cXV4MTIzNA',
  },
]

function show(rows: readonly Row[], columns: number | undefined, hasRelativeTimes = true) {
  const isTTY = columns !== undefined
  const output = { columns, isTTY, hasRelativeTimes: isTTY && hasRelativeTimes }
  const { hidden, spans } = formatTable(rows, COLUMNS, output, NOW_MS)
  return { hidden, spans, text: spans.map(({ text }) => text).join('') }
}

test('a table of 80 columns cuts the text, and nothing else', () => {
  const { hidden, text } = show(ROWS, 80)
  expect(`\n${text}`).toBe(`
SKILL       UPDATED  OUTCOME   PRICE  SAYS                CALL
sg_weather  2 h ago  settled     0.5  Tells the (made-u…  Zm9vYmFyYmF6cXV4MTIzNA
sg_a_skill  2 h ago  refunded     12  Short.              -m9vYmFyYmF6cXV4MTIzNA
`)
  expect(hidden).toEqual([])
})

test('a table of 60 columns keeps the id whole and the name, and says what it left out', () => {
  const { hidden, text } = show(ROWS, 60)
  expect(`\n${text}`).toBe(`
SKILL       UPDATED  OUTCOME   PRICE  CALL
sg_weather  2 h ago  settled     0.5  Zm9vYmFyYmF6cXV4MTIzNA
sg_a_skill  2 h ago  refunded     12  -m9vYmFyYmF6cXV4MTIzNA
`)
  expect(hidden).toEqual(['SAYS'])
})

test('an id that does not fit beside the name gets a second line, with what else fits there', () => {
  const skill = 'sg_a_skill_with_a_name_that_is_long'
  const { hidden, text } = show([{ ...(ROWS[0] ?? fail()), skill }], 50)
  expect(`\n${text}`).toBe(`
SKILL                                UPDATED
  OUTCOME  PRICE  CALL
sg_a_skill_with_a_name_that_is_long  2 h ago
  settled    0.5  Zm9vYmFyYmF6cXV4MTIzNA
`)
  expect(hidden).toEqual(['SAYS'])
})

test('a table of 120 columns cuts less', () => {
  expect(show(ROWS, 120).text.split('\n')[1]).toBe(
    'sg_weather  2 h ago  settled     0.5  Tells the (made-up, always the same) weather in a city, a…  Zm9vYmFyYmF6cXV4MTIzNA',
  )
})

test('no line of a table is wider than the screen while the name fits it', () => {
  const skill = 's'.repeat(36)
  for (let columns = 36; columns < 160; columns += 1) {
    for (const line of show([{ ...(ROWS[0] ?? fail()), skill }], columns).text.split('\n')) {
      expect(line.length).toBeLessThanOrEqual(columns)
    }
  }
})

test('a column without values is the first to go, and is not missed', () => {
  const rows = ROWS.map((row) => ({ ...row, says: '' }))
  const { hidden, text } = show(rows, 60)
  expect(text.split('\n')[0]).toBe('SKILL       UPDATED  OUTCOME   PRICE  CALL')
  expect(hidden).toEqual([])
})

test('a table in a pipe cuts nothing, and has times in UTC', () => {
  const { hidden, text } = show(ROWS, undefined)
  expect(text).toContain('2026-11-22 21:57Z  settled     0.5  Tells the (made-up')
  expect(text).toContain('and nothing else of it.  Zm9vYmFyYmF6cXV4MTIzNA\n')
  expect(text).not.toContain('…')
  expect(hidden).toEqual([])
})

test('a terminal that wants times in UTC gets them', () => {
  expect(show(ROWS, 80, false).text).toContain('2026-11-22 21:57Z')
})

test('a state has its colour, and its head has none', () => {
  expect(show(ROWS, 80).spans.filter(({ colour }) => colour !== undefined)).toEqual([
    { text: 'settled', colour: 'green' },
    { text: 'refunded', colour: 'red' },
  ])
})

test('letters that take two columns are counted and cut as such', () => {
  const rows = [
    { ...(ROWS[0] ?? fail()), skill: '東京の天気', says: '天気を教えてくれる便利な道具です' },
    { ...(ROWS[0] ?? fail()), skill: '👩‍👩‍👧‍👦e\u0301', says: 'x' },
  ]
  expect(`\n${show(rows, 80).text}`).toBe(`
SKILL       UPDATED  OUTCOME  PRICE  SAYS                 CALL
東京の天気  2 h ago  settled    0.5  天気を教えてくれる…  Zm9vYmFyYmF6cXV4MTIzNA
👩‍👩‍👧‍👦e\u0301         2 h ago  settled    0.5  x                    Zm9vYmFyYmF6cXV4MTIzNA
`)
})

test('a value with breaks of lines stays one row', () => {
  expect(toOneLine('a\r\nb\tc\u2028d')).toBe('a b c d')
})

test('a value with control sequences is measured as a terminal shows it, and unchanged in a pipe', () => {
  const row = { ...(ROWS[0] ?? fail()), skill: 'a\u001b[2J\u202eb', says: '' }
  expect(show([row], 80).text).toContain('a\\u{1b}[2J\\u{202e}b  2 h ago  settled')
  expect(show([row], undefined).text).toContain('a\u001b[2J\u202eb  2026-11-22 21:57Z  settled')
})

function fail(): never {
  throw new Error('there is no row')
}

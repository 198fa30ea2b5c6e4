/** Tables at 80 and 120 columns and in a pipe. */
import { expect, test } from 'vitest'
import { type Column, formatInstant, formatTable, toOneLine } from '../../cli/terminal/table.ts'

type Row = {
  readonly skill: string
  readonly atMs: number
  readonly price: number
  readonly says: string
}

const COLUMNS: readonly Column<Row>[] = [
  { head: 'SKILL', of: ({ skill }) => skill },
  { head: 'UPDATED', of: ({ atMs }) => formatInstant(atMs), whole: true },
  { head: 'PRICE', of: ({ price }) => price, right: true },
  { head: 'SAYS', of: ({ says }) => says },
]
const ROWS: readonly Row[] = [
  {
    skill: 'sg_weather',
    atMs: 1795384655856,
    price: 0.5,
    says: 'Tells the (made-up, always the same) weather in a city, and nothing else of it.',
  },
  { skill: 'sg_a_skill_with_a_name_that_is_long', atMs: 1795384655856, price: 12, says: 'Short.' },
]

test('a table of 80 columns shortens its widest text, and dates and numbers stay whole', () => {
  expect(`\n${formatTable(ROWS, COLUMNS, { columns: 80, isTTY: true })}`).toBe(`
SKILL                       UPDATED           PRICE  SAYS
sg_weather                  2026-11-22 21:57    0.5  Tells the (made-up, always…
sg_a_skill_with_a_name_th…  2026-11-22 21:57     12  Short.
`)
})

test('a table of 120 columns cuts less', () => {
  expect(`\n${formatTable(ROWS, COLUMNS, { columns: 120, isTTY: true })}`).toBe(`
SKILL                                UPDATED           PRICE  SAYS
sg_weather                           2026-11-22 21:57    0.5  Tells the (made-up, always the same) weather in a city, a…
sg_a_skill_with_a_name_that_is_long  2026-11-22 21:57     12  Short.
`)
})

test('a table in a pipe cuts nothing', () => {
  const text = formatTable(ROWS, COLUMNS, { columns: undefined, isTTY: false })
  expect(text).toContain('and nothing else of it.\n')
  expect(text).not.toContain('…')
})

test('a terminal that is too narrow gets longer rows instead of cells that cannot be read', () => {
  expect(formatTable(ROWS, COLUMNS, { columns: 10, isTTY: true }).split('\n')[1]).toBe(
    'sg_weat…  2026-11-22 21:57    0.5  Tells t…',
  )
})

test('a value with breaks of lines stays one row', () => {
  expect(toOneLine('a\r\nb\tc\u2028d')).toBe('a b c d')
})

test('a value with control sequences is measured as a terminal shows it, and unchanged in a pipe', () => {
  const row = { skill: 'a\u001b[2J\u202eb', atMs: 0, price: 1, says: '' }
  expect(formatTable([row], COLUMNS, { columns: 80, isTTY: true })).toContain(
    'a\\u{1b}[2J\\u{202e}b  1970-01-01 00:00      1\n',
  )
  expect(formatTable([row], COLUMNS, { columns: undefined, isTTY: false })).toContain(
    'a\u001b[2J\u202eb  1970-01-01 00:00      1\n',
  )
})

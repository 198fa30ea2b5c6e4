/**
 * Formats rows in columns. On a terminal no row is wider than the screen: the widest text column is
 * narrowed. In a pipe nothing is cut.
 */
import { escapeHiddenText } from '../../adapters/formats/visible-text.ts'
import type { Output } from './shell.ts'

export type Column<T> = {
  readonly head: string
  /** The value of a cell; undefined is an empty cell. */
  readonly of: (row: T) => string | number | undefined
  readonly right?: boolean
  /** True for a column that is never cut, such as a date or a value that a person copies. */
  readonly whole?: boolean
  /** What the cells are; `text` unless it is given. */
  readonly kind?: ColumnKind
}

/**
 * - `id`: a value that a person copies. Always there and never cut.
 * - `name`: what tells the rows apart. Always there.
 * - `time`: `of` returns milliseconds since 1970.
 * - `state`: a closed vocabulary, such as `settled`. Its colour says whether it is good.
 * - `text`: anything else. It is cut first.
 */
export type ColumnKind = 'id' | 'name' | 'time' | 'state' | 'text'

/** Narrowest column that can be read; below that width the row gets longer instead. */
const CELL_MIN = 8
const GAP = '  '

export function formatTable<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  output: Pick<Output, 'columns' | 'isTTY'>,
): string {
  const cells = rows.map((row) =>
    columns.map(({ kind, of }) => {
      const value = of(row)
      return toShownText(kind === 'time' ? formatInstant(value) : value, output)
    }),
  )
  const lines = [columns.map(({ head }) => head), ...cells]
  const widths = narrowColumns(
    columns.map((_, index) => Math.max(...lines.map((line) => countWidth(line[index] ?? '')))),
    columns.map(
      ({ kind = 'text', whole, right }) =>
        whole === true || right === true || kind === 'id' || kind === 'time',
    ),
    output.columns,
  )
  return lines
    .map((line) => {
      const shown = line.map((cell, index) =>
        padCell(cell, widths[index] ?? 0, columns[index]?.right),
      )
      return `${shown.join(GAP).trimEnd()}\n`
    })
    .join('')
}

/**
 * Returns the text as {@link plain} does, with the escapes that a terminal will show, for texts
 * that are measured or cut.
 */
export function toShownText(
  value: string | number | undefined,
  { isTTY }: Pick<Output, 'isTTY'>,
): string {
  return isTTY ? escapeHiddenText(toOneLine(value)) : toOneLine(value)
}

/** Puts foreign text on one line: line breaks and tabs in it would look like rows and columns. */
export function toOneLine(value: string | number | undefined): string {
  return value === undefined ? '' : String(value).replaceAll(BREAKS, ' ')
}

const BREAKS = /[\t\n\v\f\r\u0085\u2028\u2029]+/g

/**
 * Narrows the columns to the screen, one character at a time from the widest column that may be
 * cut.
 */
function narrowColumns(
  widths: readonly number[],
  wholes: readonly boolean[],
  columns: number | undefined,
): readonly number[] {
  const widthsNow = [...widths]
  const gaps = GAP.length * (widths.length - 1)
  const excess = () => widthsNow.reduce((sum, width) => sum + width, gaps) - (columns ?? Infinity)
  while (excess() > 0) {
    const widest = Math.max(0, ...widthsNow.filter((_, index) => wholes[index] !== true))
    if (widest <= CELL_MIN) return widthsNow
    widthsNow[widthsNow.findIndex((width, index) => width === widest && wholes[index] !== true)] =
      widest - 1
  }
  return widthsNow
}

function padCell(cell: string, width: number, right: boolean | undefined): string {
  const widthsNow = countWidth(cell) > width ? `${[...cell].slice(0, width - 1).join('')}…` : cell
  const gap = ' '.repeat(Math.max(0, width - countWidth(widthsNow)))
  return right === true ? gap + widthsNow : widthsNow + gap
}

/** Counts code points; a wide letter is counted as one column. */
function countWidth(text: string): number {
  return [...text].length
}

/** Formats milliseconds since 1970 as `2026-11-22 21:42`, in UTC. */
export function formatInstant(ms: unknown): string | undefined {
  if (typeof ms !== 'number') return undefined
  return new Date(ms).toISOString().slice(0, 16).replace('T', ' ')
}

/**
 * Rows in columns. On a terminal no row is wider than it: the widest text column gives way. In a
 * pipe nothing is cut.
 */
import { visibleText } from '../../adapters/formats/visible-text.ts'
import type { Output } from './shell.ts'

export type Column<T> = {
  readonly head: string
  /** Undefined shows as an empty cell. */
  readonly of: (row: T) => string | number | undefined
  readonly right?: boolean
  /** Never cut, such as a date or what a person copies. */
  readonly whole?: boolean
}

/** Narrower columns cannot be read; the row gets longer instead. */
const CELL_MIN = 8
const GAP = '  '

export function tableText<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  output: Pick<Output, 'columns' | 'isTTY'>,
): string {
  const cells = rows.map((row) => columns.map(({ of }) => shownText(of(row), output)))
  const lines = [columns.map(({ head }) => head), ...cells]
  const widths = narrowed(
    columns.map((_, index) => Math.max(...lines.map((line) => widthOf(line[index] ?? '')))),
    columns.map(({ whole, right }) => whole === true || right === true),
    output.columns,
  )
  return lines
    .map((line) => {
      const shown = line.map((cell, index) =>
        padded(cell, widths[index] ?? 0, columns[index]?.right),
      )
      return `${shown.join(GAP).trimEnd()}\n`
    })
    .join('')
}

/** As {@link plain}, with the escapes that the terminal will show: for texts that are measured or cut. */
export function shownText(
  value: string | number | undefined,
  { isTTY }: Pick<Output, 'isTTY'>,
): string {
  return isTTY ? visibleText(plain(value)) : plain(value)
}

/** Text of others on one line: breaks of lines and tabs in it would make rows and columns of their own. */
export function plain(value: string | number | undefined): string {
  return value === undefined ? '' : String(value).replaceAll(BREAKS, ' ')
}

const BREAKS = /[\t\n\v\f\r\u0085\u2028\u2029]+/g

/** Takes a column at a time from the widest that may be cut. */
function narrowed(
  widths: readonly number[],
  wholes: readonly boolean[],
  columns: number | undefined,
): readonly number[] {
  const fitting = [...widths]
  const gaps = GAP.length * (widths.length - 1)
  const excess = () => fitting.reduce((sum, width) => sum + width, gaps) - (columns ?? Infinity)
  while (excess() > 0) {
    const widest = Math.max(0, ...fitting.filter((_, index) => wholes[index] !== true))
    if (widest <= CELL_MIN) return fitting
    fitting[fitting.findIndex((width, index) => width === widest && wholes[index] !== true)] =
      widest - 1
  }
  return fitting
}

function padded(cell: string, width: number, right: boolean | undefined): string {
  const fitting = widthOf(cell) > width ? `${[...cell].slice(0, width - 1).join('')}…` : cell
  const gap = ' '.repeat(Math.max(0, width - widthOf(fitting)))
  return right === true ? gap + fitting : fitting + gap
}

/** Code points; wide letters are counted as one column. */
function widthOf(text: string): number {
  return [...text].length
}

/** `2026-11-22 21:42`, UTC. */
export function instant(ms: unknown): string | undefined {
  if (typeof ms !== 'number') return undefined
  return new Date(ms).toISOString().slice(0, 16).replace('T', ' ')
}

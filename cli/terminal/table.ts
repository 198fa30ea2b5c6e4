/**
 * Formats rows in columns. On a terminal no row is wider than the screen: texts are cut, then columns
 * are left out, then ids get a line of their own. In a pipe nothing is cut and nothing left out.
 */
import { escapeHiddenText } from '../../core/json/visible-text.ts'
import { findStateColour, type Span, writeSpans } from './colours.ts'
import { formatRelative } from './relative-time.ts'
import type { Output, Shell } from './shell.ts'
import { type ColumnKind, chooseLayout, GAP } from './table-layout.ts'
import { countWidth, cutText } from './text-width.ts'

export type Column<T> = {
  readonly head: string
  /** The value of a cell; undefined is an empty cell. The field of the row unless it is given. */
  readonly of?: (row: T) => unknown
  /** The name of the column in CSV; the head as one word unless it is given. */
  readonly field?: string
  readonly right?: boolean
  /** What the cells are; `text` unless it is given. */
  readonly kind?: ColumnKind
}

type View = Pick<Output, 'columns' | 'isTTY' | 'hasRelativeTimes'>

/** Prints rows, and on stderr the columns that the screen has no room for. */
export function printTable<T extends object>(
  { err, nowMs, out }: Pick<Shell, 'err' | 'nowMs' | 'out'>,
  rows: readonly T[],
  columns: readonly Column<T>[],
): void {
  const { hidden, spans } = formatTable(rows, columns, out, nowMs())
  writeSpans(out, spans)
  if (hidden.length === 0) return
  const heads = hidden.join(', ')
  err.write(`No room at ${out.columns} columns for ${heads}; --json shows all.\n`)
}

/** Returns the lines as spans, and the heads of columns that are left out. */
export function formatTable<T extends object>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  output: View,
  nowMs: number,
): { readonly spans: readonly Span[]; readonly hidden: readonly string[] } {
  const cells = rows.map((row) =>
    columns.map((column) => toShownText(formatCell(column, row, output, nowMs), output)),
  )
  const measured = columns.map(({ head, kind = 'text', right = false }, index) => {
    const widths = cells.map((line) => countWidth(line[index] ?? ''))
    const widest = widths.reduce((most, width) => Math.max(most, width), 0)
    return { kind, right, isEmpty: widest === 0, width: Math.max(widest, countWidth(head)) }
  })
  const layout = chooseLayout(measured, output.columns)
  const heads = columns.map(({ head }) => head)
  const spans = [heads, ...cells].flatMap((line, at) =>
    layout.lines.flatMap((places) =>
      formatLine(
        places.map(({ index, width }) => ({
          text: line[index] ?? '',
          width,
          right: columns[index]?.right === true,
          isState: at > 0 && columns[index]?.kind === 'state',
        })),
        places === layout.lines[0] ? '' : GAP,
      ),
    ),
  )
  return { spans, hidden: layout.hidden.map((index) => heads[index] ?? '').filter(Boolean) }
}

type Cell = {
  readonly text: string
  readonly width: number
  readonly right: boolean
  readonly isState: boolean
}

function formatLine(cells: readonly Cell[], margin: string): readonly Span[] {
  const last = cells.findLastIndex(({ text }) => text !== '')
  const spans = cells.slice(0, last + 1).flatMap(({ isState, right, text, width }, index) => {
    const shown = cutText(text, width)
    const gap = ' '.repeat(Math.max(0, width - countWidth(shown)))
    const span = { text: shown, colour: isState ? findStateColour(text) : undefined }
    const isLast = index === last
    return [
      { text: `${index === 0 ? margin : GAP}${right ? gap : ''}` },
      span,
      { text: right || isLast ? '' : gap },
    ]
  })
  return [...spans, { text: '\n' }]
}

function formatCell<T extends object>(
  column: Column<T>,
  row: T,
  output: View,
  nowMs: number,
): string | number | undefined {
  const value = readCell(column, row)
  if (column.kind === 'time' && typeof value === 'number') return formatTime(value, output, nowMs)
  if (column.kind === 'long-id' && output.isTTY)
    return String(value ?? '').slice(0, BEGINNING_CHARS)
  return value
}

/** Characters of a long id on a terminal. Nobody has two keys that begin alike. */
const BEGINNING_CHARS = 16

/** Returns the value of a cell, as CSV gets it. */
export function readCell<T extends object>(
  { field, of }: Column<T>,
  row: T,
): string | number | undefined {
  return toCellValue(of === undefined ? Reflect.get(row, field ?? '') : of(row))
}

/** Numbers stay numbers; a list becomes its elements. */
export function toCellValue(value: unknown): string | number | undefined {
  if (typeof value === 'number') return value
  if (value === undefined || value === null) return undefined
  return Array.isArray(value) ? value.join(', ') : String(value)
}

/** Formats milliseconds since 1970 as the output wants times. */
export function formatTime(
  ms: number,
  { hasRelativeTimes }: Pick<Output, 'hasRelativeTimes'>,
  nowMs: number,
): string | undefined {
  return hasRelativeTimes ? formatRelative(ms, nowMs) : formatInstant(ms)
}

/**
 * Returns the text with the escapes that a terminal will show, for texts that are measured or cut.
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

/** Formats milliseconds since 1970 as `2026-11-22 21:42Z`. */
export function formatInstant(ms: unknown): string | undefined {
  if (typeof ms !== 'number') return undefined
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')}Z`
}

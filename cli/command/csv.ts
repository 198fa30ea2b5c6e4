/**
 * Formats rows as CSV (RFC 4180, with line feeds). A text that a spreadsheet would run gets an
 * apostrophe before it. Numbers stay numbers.
 */
import Papa from 'papaparse'
import { toUtcSecond } from '../../core/json/utc-time.ts'
import { FORMULA } from '../../core/usage/csv.ts'
import { type Column, readCell } from '../terminal/table.ts'

/** Times become `2026-11-22T21:42:10Z`. Without rows, returns the header alone. */
export function formatCsv<T extends object>(
  rows: readonly T[],
  columns: readonly Column<T>[],
): string {
  const header = columns.map(toFieldName)
  const cells = rows.map((row) => columns.map((column) => toCell(column, row)))
  const options = { newline: '\n', escapeFormulae: FORMULA }
  return `${Papa.unparse([header, ...cells], options)}\n`
}

function toCell<T extends object>(column: Column<T>, row: T): string | number {
  const value = readCell(column, row)
  if (value === undefined) return ''
  return column.kind === 'time' && typeof value === 'number' ? toUtcSecond(value) : value
}

/** `LAST USED` becomes `lastUsed`; `createdAtMs` loses its unit, because the cells are no numbers. */
function toFieldName({ field, head, kind }: Column<never>): string {
  if (field !== undefined) return kind === 'time' ? field.replace(/Ms$/, '') : field
  return head.toLowerCase().replace(/ (\w)/g, (_, letter: string) => letter.toUpperCase())
}

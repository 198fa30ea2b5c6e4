/**
 * Prints the data of a command: tables and fields for people; JSON, or CSV of rows and records, for
 * programs. A command says by its `data` which of them it prints.
 */
import { findStateColour, writeSpans } from '../terminal/colours.ts'
import { printNote } from '../terminal/shell.ts'
import { type Column, formatTime, printTable, toCellValue, toOneLine } from '../terminal/table.ts'
import { type Invocation, isOn } from './command.ts'
import { formatCsv } from './csv.ts'

export function printJson({ shell }: Invocation, value: unknown): void {
  shell.out.writeJson(`${JSON.stringify(value, null, shell.out.isTTY ? 2 : undefined)}\n`)
}

/** Prints one value of a stream as one line of JSON. */
export function printLine({ shell }: Invocation, value: unknown): void {
  shell.out.writeJson(`${JSON.stringify(value)}\n`)
}

export function printRows<T extends object>(
  call: Invocation,
  rows: readonly T[],
  columns: readonly Column<T>[],
): void {
  const { command, shell } = call
  if (command.data !== 'rows') throw new Error(`${command.name} prints rows: its data is 'rows'`)
  if (isOn(call, 'json')) printJson(call, rows)
  else if (isOn(call, 'csv')) shell.out.write(formatCsv(rows, columns))
  else if (rows.length === 0) printNote(shell, 'None.')
  else printTable(shell, rows, columns)
}

/** A name and its value. A time is in milliseconds since 1970, or a text in its place. */
export type Field =
  | readonly [name: string, value: string | number | undefined, kind?: 'state']
  | readonly [name: string, value: unknown, kind: 'time']

/**
 * Prints one record. `whole` is the value that `--json` prints. Fields without a value are left
 * out, but not in CSV, where they are empty.
 */
export function printFields(call: Invocation, whole: unknown, fields: readonly Field[]): void {
  const { out } = call.shell
  if (isOn(call, 'json')) {
    printJson(call, whole)
    return
  }
  if (isOn(call, 'csv')) {
    out.write(formatCsv([fields], fields.map(toColumn)))
    return
  }
  const shown = fields.flatMap((field) => {
    const text = formatValue(call, field)
    return text === undefined ? [] : [{ name: field[0], text: toOneLine(text), kind: field[2] }]
  })
  const width = Math.max(...shown.map(({ name }) => name.length))
  for (const { kind, name, text } of shown) {
    const colour = kind === 'state' ? findStateColour(text) : undefined
    writeSpans(out, [{ text: `${name.padEnd(width)}  ` }, { text, colour }, { text: '\n' }])
  }
}

function formatValue({ shell }: Invocation, [, value, kind]: Field): string | number | undefined {
  if (kind === 'time' && typeof value === 'number') {
    return formatTime(value, shell.out, shell.nowMs())
  }
  return toCellValue(value)
}

function toColumn([name, , kind]: Field, index: number): Column<readonly Field[]> {
  return {
    head: name,
    ...(kind === undefined ? {} : { kind }),
    of: (fields) => fields[index]?.[1],
  }
}

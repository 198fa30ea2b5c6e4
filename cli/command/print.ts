/** Prints the data of a command: JSON for programs, tables and fields for people. */

import { type Column, formatTable, toOneLine } from '../terminal/table.ts'
import { type Invocation, isOn } from './command.ts'

export function printJson({ shell }: Invocation, value: unknown): void {
  shell.out.writeJson(`${JSON.stringify(value, null, shell.out.isTTY ? 2 : undefined)}\n`)
}

/** Prints one value of a stream as one line of JSON. */
export function printLine({ shell }: Invocation, value: unknown): void {
  shell.out.writeJson(`${JSON.stringify(value)}\n`)
}

export function printRows<T>(
  call: Invocation,
  rows: readonly T[],
  columns: readonly Column<T>[],
): void {
  const { err, out } = call.shell
  if (isOn(call, 'json')) printJson(call, rows)
  else if (rows.length === 0) err.write('None.\n')
  else out.write(formatTable(rows, columns, out))
}

/**
 * Prints one record. `whole` is the value that `--json` prints. Fields without a value are left
 * out.
 */
export function printFields(
  call: Invocation,
  whole: unknown,
  fields: readonly (readonly [name: string, value: string | number | undefined])[],
): void {
  if (isOn(call, 'json')) {
    printJson(call, whole)
    return
  }
  const shown = fields.filter(([, value]) => value !== undefined)
  const width = Math.max(...shown.map(([name]) => name.length))
  const lines = shown.map(([name, value]) => `${name.padEnd(width)}  ${toOneLine(value)}\n`)
  call.shell.out.write(lines.join(''))
}

/**
 * Prints what became of files that were sent: a table of those that were stored, then the faults
 * and warnings of each file. Each fault has a line of its own, which is wrapped at the width of the
 * terminal and never cut.
 */
import { wrapWords } from '../../adapters/formats/wrap-words.ts'
import { type Invocation, isOn } from '../command/command.ts'
import { printRows } from '../command/print.ts'
import type { Output } from '../terminal/shell.ts'
import { type Column, toShownText } from '../terminal/table.ts'
import type { LocatedFault } from './locate-faults.ts'

/** One file, guide or line that was sent. `--json` prints it as it is. */
export type Outcome = {
  /** What was sent: a path, or `skills.json[2]`. */
  readonly file: string
  readonly outcome: 'created' | 'refused' | 'stored' | 'unchanged'
  readonly tool?: string | undefined
  /** Why it was refused, and what to do, if no fault says so. */
  readonly text?: string | undefined
  /** The gateway's code of a refusal, such as `invalid_skill`. */
  readonly code?: string | undefined
  readonly errors?: readonly LocatedFault[]
  /** Lines of the file around its only error, with a caret. */
  readonly excerpt?: readonly string[]
  readonly warnings?: readonly string[]
}

/** Options of every command with which a program reads the rows. */
const FOR_PROGRAMS = ['json', 'jq', 'csv']

/** Prints the outcomes. For programs each row has its faults; for people they are below the rows. */
export function printOutcomes(
  call: Invocation,
  outcomes: readonly Outcome[],
  columns: readonly Column<Outcome>[] = COLUMNS,
): void {
  const isForProgram = FOR_PROGRAMS.some((flag) => isOn(call, flag))
  const rows = isForProgram ? outcomes : outcomes.filter(({ outcome }) => outcome !== 'refused')
  if (isForProgram || rows.length > 0) printRows(call, rows, columns)
  if (!isForProgram) for (const one of outcomes) printNotes(call.shell.out, one)
}

const COLUMNS: readonly Column<Outcome>[] = [
  { head: 'FILE', kind: 'name', of: ({ file }) => file },
  { head: 'OUTCOME', kind: 'state', of: ({ outcome }) => outcome },
  { head: 'TOOL', kind: 'id', of: ({ tool }) => tool },
]

/** Prints the faults and warnings of one file; nothing if it has none. */
export function printNotes(out: Output, outcome: Outcome): void {
  const { code, errors = [], excerpt = [], file, text, warnings = [] } = outcome
  if (outcome.outcome === 'refused') {
    const count = errors.length === 0 ? '' : `, ${countNoun(errors.length, 'fault')}`
    const why = text === undefined ? '' : `: ${text}`
    printWrapped(out, `${file} is refused${count}${code === undefined ? '' : ` (${code})`}${why}`)
  } else if (warnings.length > 0) {
    printWrapped(out, `${file} is ${outcome.outcome}, ${countNoun(warnings.length, 'warning')}`)
  }
  for (const error of errors) printWrapped(out, formatFault(error, file), 2)
  for (const line of excerpt) out.write(`    ${toShownText(line, out)}\n`)
  for (const warning of warnings) printWrapped(out, `warning: ${warning}`, 2)
}

/** Prints a line at an indent; its further rows are indented by two characters more. */
export function printWrapped(out: Output, text: string, indent = 0): void {
  const shown = toShownText(text, out)
  const width = out.columns === undefined ? Number.POSITIVE_INFINITY : out.columns - indent - HANG
  const rows = wrapWords(shown, Math.max(width, ROW_MIN))
  for (const [index, row] of rows.entries()) {
    out.write(`${' '.repeat(indent + (index === 0 ? 0 : HANG))}${row}\n`)
  }
}

/** Characters by which the further rows of a line are indented. */
const HANG = 2
/** Fewest characters of a row; on a narrower terminal the terminal wraps it. */
const ROW_MIN = 16

function formatFault({ column, line, message, pointer }: LocatedFault, file: string): string {
  const where = line === undefined ? '' : ` (${file.replace(/\[\d+\]$/, '')}:${line}:${column})`
  return `${pointer === '' ? '' : `${pointer}  `}${message}${where}`
}

function countNoun(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

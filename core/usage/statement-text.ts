/** A statement as text for a terminal or a mail, and as CSV. */
import { formatCsvLine } from './csv.ts'
import type { Statement } from './statement.ts'
import {
  describeStatement,
  formatNumber,
  listStatementNotes,
  type StatementTable,
  toStatementTables,
} from './statement-tables.ts'

const GAP = '  '

/** Lines without their ends. */
export function writeStatementText(statement: Statement): readonly string[] {
  const facts = describeStatement(statement)
  const width = Math.max(...facts.map(([name]) => name.length))
  return [
    ...facts.map(([name, value]) => `${name.padEnd(width)}${GAP}${value}`),
    ...toStatementTables(statement).flatMap(formatTable),
    '',
    ...listStatementNotes(statement),
  ]
}

function formatTable({ columns, rows, title, total }: StatementTable): readonly string[] {
  const heads = columns.map(({ head }) => head)
  const lines = [heads, ...rows, ...(total === undefined ? [] : [total])]
  const widths = columns.map((_, at) =>
    Math.max(...lines.map((line) => [...(line[at] ?? '')].length)),
  )
  const format = (line: readonly string[]) =>
    line
      .map((cell, at) => pad(cell, widths[at] ?? 0, columns[at]?.isNumber))
      .join(GAP)
      .trimEnd()
  return ['', title, ...lines.map(format)]
}

function pad(cell: string, width: number, isNumber: boolean | undefined): string {
  const gap = ' '.repeat(Math.max(0, width - [...cell].length))
  return isNumber === true ? gap + cell : cell + gap
}

/**
 * A line for each balance, grant, correction, charge and refund, with the kind of line first. Lines
 * of totals are left out, because a pivot table would count them again.
 */
export function writeStatementCsv(statement: Statement): string {
  const { charges, corrections, creditPrice, grants, money, refunds } = statement
  const { month, uid } = statement
  const lines: readonly CsvLine[] = [
    { kind: 'opening', credits: statement.opening, money: money?.opening },
    ...grants.map((grant) => toGrantLine('grant', grant)),
    ...corrections.map((grant) => toGrantLine('correction', grant)),
    ...charges.map((charge) => ({
      ...charge,
      kind: 'charge',
      id: charge.skillId,
      credits: charge.charged,
    })),
    ...refunds.map((refund) => ({ ...refund, kind: 'refund', credits: refund.givenBack })),
    { kind: 'closing', credits: statement.closing, money: money?.closing },
  ]
  const heads = ['uid', 'month', 'kind', 'time', 'id', 'by', 'reason', 'calls', 'credits']
  const currency = creditPrice?.currency
  const all = [[...heads, currency ?? ''], ...lines.map((line) => [uid, month, ...toCells(line)])]
  const shown = currency === undefined ? all.map((line) => line.slice(0, -1)) : all
  return shown.map(formatCsvLine).join('')
}

type CsvLine = {
  readonly kind: string
  readonly time?: string
  readonly id?: string
  readonly by?: string | undefined
  readonly reason?: string | undefined
  readonly calls?: number
  readonly credits: number
  readonly money?: string | undefined
}

function toGrantLine(kind: string, grant: Statement['grants'][number]): CsvLine {
  const { amount, by, createdAtMs, grantId, money, reason } = grant
  const time = new Date(createdAtMs).toISOString()
  return { kind, time, id: grantId, by, reason, credits: amount, money }
}

function toCells({ by, calls, credits, id, kind, money, reason, time }: CsvLine): string[] {
  const count = calls === undefined ? '' : String(calls)
  const amount = formatNumber(credits)
  return [kind, time ?? '', id ?? '', by ?? '', reason ?? '', count, amount, money ?? '']
}

/** The commands `statements show`, `statements ls` and `statements export`. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { toMonth } from '../../core/ledger/month.ts'
import { formatCsvLine } from '../../core/usage/csv.ts'
import { writeStatementHtml } from '../../core/usage/statement-html.ts'
import { formatNumber } from '../../core/usage/statement-tables.ts'
import { writeStatementCsv, writeStatementText } from '../../core/usage/statement-text.ts'
import { type Command, getOption, type Invocation, isOn, type Option } from '../command/command.ts'
import { printJson, printRows } from '../command/print.ts'
import {
  type AdminClient,
  encodeSegment,
  type Fields,
  openAdminClient,
  toRows,
} from '../gateway/admin-client.ts'
import { fetchRows, PAGE_OPTIONS } from '../gateway/pages.ts'
import { readStatement } from '../statements/read-statement.ts'
import { nameStatementFile } from '../statements/statement-file.ts'
import { CommandFault, EXIT, type ExitCode, toUsageFault } from '../terminal/exit-code.ts'
import { printNote } from '../terminal/shell.ts'
import { toOneLine } from '../terminal/table.ts'
import { UID } from './rows.ts'
import { toText, toUserPath } from './users.ts'

/** Files of accounts: names, amounts and reasons are for their owner alone. */
const MODES = { file: 0o600, folder: 0o700 } as const

const MONTH: Option = {
  flag: 'month',
  value: 'MONTH',
  help: 'a month of UTC: 2026-11 (this month)',
}

function readMonth(call: Invocation): string {
  return getOption(call, 'month') ?? toMonth(call.shell.nowMs())
}

async function showStatement(call: Invocation): Promise<ExitCode> {
  const formats = ['csv', 'html', 'json'].filter((flag) => isOn(call, flag))
  const [format = 'text', second] = formats
  if (second !== undefined) {
    throw toUsageFault(`--${format} and --${second} cannot be combined.`, 'Give one of them.')
  }
  const admin = await openAdminClient(call)
  const path = `${toUserPath(call)}/statements/${encodeSegment(readMonth(call))}`
  const fields = await admin.send({ method: 'GET', path })
  if (format === 'json') printJson(call, fields)
  else writeResult(call, formatStatement(fields, format))
  return EXIT.ok
}

function formatStatement(fields: Fields, format: string): string {
  const statement = readStatement(fields)
  switch (format) {
    case 'csv':
      return writeStatementCsv(statement)
    case 'html':
      return writeStatementHtml(statement)
    default:
      return writeStatementText(statement)
        .map((line) => `${toOneLine(line)}\n`)
        .join('')
  }
}

/** Writes to the file of `--out`, or to stdout. */
function writeResult(call: Invocation, text: string): void {
  const path = getOption(call, 'out')
  if (path === undefined) {
    call.shell.out.write(text)
    return
  }
  writeOwnFile(resolve(call.shell.cwd, path), text)
  printNote(call.shell, `Wrote ${path}.`)
}

function writeOwnFile(path: string, text: string): void {
  try {
    writeFileSync(path, text, { mode: MODES.file })
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new CommandFault(`${path}: cannot be written: ${why}`, {
      remedy: 'Name a file in a folder that exists.',
    })
  }
}

async function listStatements(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  const path = `/statements/${encodeSegment(readMonth(call))}`
  const rows = await fetchRows(call, admin, { path }, 'statements')
  const number = (name: string) => (row: Fields) =>
    typeof row[name] === 'number' ? formatNumber(row[name]) : undefined
  printRows(call, rows, [
    { head: 'UID', of: (row) => toText(row['uid']), kind: 'id' },
    { head: 'USERNAME', of: (row) => toText(row['username']), kind: 'name' },
    { head: 'STATE', of: (row) => toText(row['state']), kind: 'state' },
    { head: 'OPENING', of: number('opening'), right: true },
    { head: 'GRANTED', of: number('granted'), right: true },
    { head: 'CORRECTED', of: number('corrected'), right: true },
    { head: 'CALLS', of: (row) => toText(row['calls']), right: true },
    { head: 'CHARGED', of: number('charged'), right: true },
    { head: 'CLOSING', of: number('closing'), right: true },
  ])
  return EXIT.ok
}

async function exportStatements(call: Invocation): Promise<ExitCode> {
  const given = getOption(call, 'out')
  if (given === undefined) {
    throw toUsageFault('--out is missing.', 'Write --out FOLDER, which gets a file for each user.')
  }
  const admin = await openAdminClient(call)
  const month = readMonth(call)
  const folder = resolve(call.shell.cwd, given)
  makeOwnFolder(folder)
  const lines: Fields[] = []
  const tooLarge: unknown[] = []
  const taken = new Set<string>()
  let cursor: string | undefined
  do {
    const path = `/statements/${encodeSegment(month)}`
    const page = await admin.send({ method: 'GET', path, query: { cursor } })
    const found = toRows(page['statements'])
    for (const line of found) {
      const uid = String(line['uid'])
      const file = join(folder, nameStatementFile({ month, uid }, taken))
      await exportOne(admin, { file, month, uid })
    }
    lines.push(...found)
    if (Array.isArray(page['tooLarge'])) tooLarge.push(...page['tooLarge'])
    cursor = typeof page['nextCursor'] === 'string' ? page['nextCursor'] : undefined
  } while (cursor !== undefined)
  writeOwnFile(join(folder, `statements-${month}.csv`), formatLines(lines))
  printNote(call.shell, `Wrote ${lines.length} statements of ${month} to ${given}.`)
  if (tooLarge.length === 0) return EXIT.ok
  printNote(call.shell, `Left out, with too many grants or calls: ${tooLarge.join(', ')}.`)
  return EXIT.failed
}

function makeOwnFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: MODES.folder })
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new CommandFault(`${folder}: cannot be made: ${why}`)
  }
}

async function exportOne(
  admin: AdminClient,
  { file, month, uid }: { readonly file: string; readonly month: string; readonly uid: string },
): Promise<void> {
  const path = `/users/${encodeSegment(uid)}/statements/${encodeSegment(month)}`
  const statement = await admin.send({ method: 'GET', path })
  writeOwnFile(file, formatStatement(statement, 'html'))
}

const LINE_COLUMNS =
  'uid username state complete opening granted corrected charged closing calls refunded givenBack'.split(
    ' ',
  )

function formatLines(lines: readonly Fields[]): string {
  const cells = lines.map((line) =>
    LINE_COLUMNS.map((name) => {
      const value = line[name]
      return typeof value === 'number' ? formatNumber(value) : String(value ?? '')
    }),
  )
  return [LINE_COLUMNS, ...cells].map(formatCsvLine).join('')
}

export const STATEMENT_COMMANDS: readonly Command[] = [
  {
    name: 'statements show',
    summary: 'Show the account of a user in a month',
    details:
      'Opening balance, grants, corrections, charges by skill, refunds by reason and closing balance. The HTML is one file for print, without scripts.',
    arguments: [UID],
    options: [
      MONTH,
      { flag: 'csv', help: 'print CSV, for spreadsheets' },
      { flag: 'html', help: 'print an HTML document, for print' },
      { flag: 'out', value: 'FILE', help: 'write to this file', completes: 'files' },
    ],
    examples: [
      { says: 'The account of this month', line: 'skillgate statements show ada' },
      {
        says: 'The same as a document for print',
        line: 'skillgate statements show ada --html --out /tmp/ada.html',
      },
    ],
    prints: 'the statement as text',
    data: 'document',
    run: showStatement,
  },
  {
    name: 'statements ls',
    summary: 'List the balances of all users in a month',
    arguments: [],
    options: [MONTH, ...PAGE_OPTIONS],
    examples: [{ says: 'The balances of this month', line: 'skillgate statements ls' }],
    prints: 'a row for each user who existed in the month, deleted ones last',
    data: 'rows',
    run: listStatements,
  },
  {
    name: 'statements export',
    summary: 'Write the accounts of all users of a month to a folder',
    details:
      'An HTML document for each user, and statements-MONTH.csv with a line for each user. Users with more than 10,000 grants are left out and named; the exit code is 1 then.',
    arguments: [],
    options: [
      MONTH,
      { flag: 'out', value: 'FOLDER', help: 'the folder, made if needed', completes: 'files' },
    ],
    examples: [
      {
        says: 'The accounts of this month',
        line: 'skillgate statements export --out /tmp/accounts',
      },
    ],
    prints: 'nothing; the files are in the folder',
    data: 'none',
    run: exportStatements,
  },
]

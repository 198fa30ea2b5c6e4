/** audit: who changed what. */
import { type Command, type Invocation, option } from '../command/command.ts'
import { EXIT, type ExitCode } from '../command/exit-code.ts'
import { adminClient, fieldsOf } from '../gateway/admin-client.ts'
import { PAGE_OPTIONS, rowsOf } from '../gateway/pages.ts'
import { printRows } from '../terminal/print.ts'
import { instant } from '../terminal/table.ts'
import { textOf } from './users.ts'

const FILTERS = ['since', 'until', 'who', 'operation', 'target'] as const

async function audit(call: Invocation): Promise<ExitCode> {
  const admin = await adminClient(call)
  const query = Object.fromEntries(FILTERS.map((name) => [name, option(call, name)]))
  const rows = await rowsOf(call, admin, { path: '/audit', query }, 'changes')
  printRows(call, rows, [
    { head: 'AT', of: (row) => instant(row['atMs']), whole: true },
    { head: 'WHO', of: (row) => textOf(fieldsOf(row['who'])['name']) },
    { head: 'OPERATION', of: (row) => textOf(row['operation']) },
    { head: 'TARGET', of: (row) => targetText(row['target']) },
    { head: 'OUTCOME', of: (row) => textOf(row['outcome']) },
  ])
  return EXIT.ok
}

/** The parameters of the path: a uid alone, or a uid and the name of a secret. */
function targetText(target: unknown): string | undefined {
  return typeof target === 'string' ? target : Object.values(fieldsOf(target)).join(' ')
}

export const AUDIT_COMMAND: Command = {
  name: 'audit',
  summary: 'List who changed what',
  arguments: [],
  options: [
    {
      flag: 'since',
      value: 'TIME',
      help: 'changes from this time on, as 2026-11-22 or 2026-11-22T21:30:00Z',
    },
    { flag: 'until', value: 'TIME', help: 'changes before this time' },
    { flag: 'who', value: 'NAME', help: 'changes by this administrator' },
    { flag: 'operation', value: 'ID', help: 'changes of this kind, as grantCredits' },
    { flag: 'target', value: 'ID', help: 'changes of this user, skill, key or secret' },
    ...PAGE_OPTIONS,
  ],
  examples: [
    { says: "List the changes of Ada's account", line: 'skillgate audit --target ada --limit 20' },
  ],
  prints: 'a row for each change, newest first',
  run: audit,
}

/** The command `audit`: lists who changed what. */
import { type Command, getOption, type Invocation } from '../command/command.ts'
import { printRows } from '../command/print.ts'
import { readTime, SINCE, UNTIL } from '../command/time-value.ts'
import { openAdminClient, toFields } from '../gateway/admin-client.ts'
import { fetchRows, PAGE_OPTIONS } from '../gateway/pages.ts'
import { EXIT, type ExitCode } from '../terminal/exit-code.ts'
import { toText } from './users.ts'

const FILTERS = ['who', 'operation', 'target'] as const

async function audit(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  const query = {
    ...Object.fromEntries(FILTERS.map((name) => [name, getOption(call, name)])),
    since: readIsoTime(call, 'since'),
    until: readIsoTime(call, 'until'),
  }
  const rows = await fetchRows(call, admin, { path: '/audit', query }, 'changes')
  printRows(call, rows, [
    { head: 'AT', field: 'atMs', kind: 'time' },
    { head: 'WHO', of: (row) => toText(toFields(row['who'])['name']) },
    { head: 'OPERATION', field: 'operation', kind: 'name' },
    { head: 'TARGET', of: (row) => formatTarget(row['target']), kind: 'id' },
    { head: 'OUTCOME', field: 'outcome', kind: 'state' },
  ])
  return EXIT.ok
}

/**
 * Turns milliseconds into an ISO time, the form that this route accepts; other texts stay as they
 * are.
 */
function readIsoTime(call: Invocation, flag: string): string | undefined {
  const text = readTime(call, flag)
  return text !== undefined && /^\d{13}$/.test(text) ? new Date(Number(text)).toISOString() : text
}

/**
 * Formats the target: a uid, or a uid and the name of a secret. A tool with the same name as its
 * skill is named once.
 */
function formatTarget(target: unknown): string | undefined {
  if (typeof target === 'string') return target
  return [...new Set(Object.values(toFields(target)))].join(' ')
}

export const AUDIT_COMMAND: Command = {
  name: 'audit',
  summary: 'List who changed what',
  arguments: [],
  options: [
    SINCE,
    UNTIL,
    { flag: 'who', value: 'NAME', help: 'changes by this administrator' },
    { flag: 'operation', value: 'ID', help: 'changes of this kind, as grantCredits' },
    {
      flag: 'target',
      value: 'ID',
      help: 'changes of this user, skill, key, secret, set or import',
    },
    ...PAGE_OPTIONS,
  ],
  examples: [
    { says: "List the changes of Ada's account", line: 'skillgate audit --target ada --limit 20' },
  ],
  prints: 'a row for each change, newest first',
  data: 'rows',
  run: audit,
}

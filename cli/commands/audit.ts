/** The commands `audit` and `audit verify`: who changed what, and whether the trail is whole. */
import { type Command, getArgument, getOption, type Invocation, isOn } from '../command/command.ts'
import { printFields, printRows } from '../command/print.ts'
import { readTime, SINCE, UNTIL } from '../command/time-value.ts'
import { type Fields, openAdminClient, toFields, toRows } from '../gateway/admin-client.ts'
import { fetchRows, PAGE_OPTIONS } from '../gateway/pages.ts'
import { EXIT, type ExitCode } from '../terminal/exit-code.ts'
import { printNote } from '../terminal/shell.ts'
import { printTable } from '../terminal/table.ts'
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
    { head: 'OUTCOME', field: 'outcome', kind: 'state' },
    { head: 'TARGET', of: formatTargets },
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
 * skill is named once. A change of many records shows the first ones and how many there are.
 */
function formatTargets({ target, targetCount, targets }: Fields): string | undefined {
  if (typeof target === 'string') return target
  const ids = [...new Set(Object.values(toFields(target)))].join(' ')
  if (!Array.isArray(targets)) return ids
  const more = Number(targetCount) - targets.length
  return [ids, targets.join(', '), ...(more > 0 ? [`and ${more} more`] : [])].join(' ').trim()
}

/** Exits with `failed` if the trail of the day is not whole. */
async function verify(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  const query = { day: getArgument(call, 'DAY') || undefined }
  const found = await admin.send({ method: 'GET', path: '/audit/verify', query })
  const isWhole = found['isWhole'] === true
  printFields(call, found, [
    ['day', toText(found['day'])],
    ['records', toText(found['records'])],
    ['trail', isWhole ? 'whole' : `broken in ${found['faultCount']} places`],
    ['hash', toText(found['hash'])],
  ])
  const faults = toRows(found['faults'])
  if (!isOn(call, 'json') && !isOn(call, 'csv') && faults.length > 0) {
    printTable<Fields>(call.shell, faults, [
      { head: 'RECORD', of: (row) => toText(row['seq']), kind: 'id', right: true },
      { head: 'FAULT', of: (row) => toText(row['kind']), kind: 'name' },
      { head: 'WHAT', of: (row) => toText(row['message']) },
    ])
  }
  if (isWhole) return EXIT.ok
  printNote(call.shell, 'Compare with the archive: docs/operations.md, The audit trail.')
  return EXIT.failed
}

const AUDIT_COMMAND: Command = {
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

export const AUDIT_COMMANDS: readonly Command[] = [
  AUDIT_COMMAND,
  {
    name: 'audit verify',
    summary: 'Check that no record of a day was removed or changed',
    details:
      'Exits with 1 if the trail is broken. Keep the hash of a day that is over elsewhere: a later check has the same one.',
    arguments: [{ name: 'DAY', help: 'a day (UTC), as 2026-11-22 (today)', optional: true }],
    options: [],
    examples: [{ says: 'Check the trail of today', line: 'skillgate audit verify' }],
    prints: 'whether the trail is whole, its last hash, and each broken record',
    data: 'record',
    run: verify,
  },
]

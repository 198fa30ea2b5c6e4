/** The command `usage`: prints sums of calls and credits. */
import { USAGE_BY } from '../../core/usage/usage-dimensions.ts'
import { type Command, getOption, type Invocation, isOn } from '../command/command.ts'
import { printJson, printRows } from '../command/print.ts'
import { readTime, SINCE, UNTIL } from '../command/time-value.ts'
import { openAdminClient, toFields } from '../gateway/admin-client.ts'
import { EXIT, type ExitCode, toUsageFault } from '../terminal/exit-code.ts'
import { toText } from './users.ts'

/** Times are rounded down to whole hours, because the sums are of whole hours. */
const HOUR_MS = 3_600_000

async function usage(call: Invocation): Promise<ExitCode> {
  const formats = ['csv', 'json', 'ndjson'].filter((flag) => isOn(call, flag))
  const [format = 'json', second] = formats
  if (second !== undefined) {
    throw toUsageFault(`--${format} and --${second} cannot be combined.`, 'Give one of them.')
  }
  const admin = await openAdminClient(call)
  const by = getOption(call, 'by')
  const [since, until] = ['since', 'until'].map((flag) => readTime(call, flag, HOUR_MS))
  const query = { by, since, until, format }
  if (format !== 'json') {
    call.shell.out.write(await admin.text({ method: 'GET', path: '/usage', query }))
    return EXIT.ok
  }
  const sums = await admin.send({ method: 'GET', path: '/usage', query })
  if (isOn(call, 'json')) printJson(call, sums)
  else printSums(call, sums['entries'], by ?? 'day')
  return EXIT.ok
}

function printSums(call: Invocation, entries: unknown, by: string): void {
  const rows = (Array.isArray(entries) ? entries : []).map(toFields)
  printRows(call, rows, [
    {
      head: by.toUpperCase(),
      of: ({ day, keyId, skillId, uid }) => pickName([skillId, keyId, uid, day]),
      kind: 'id',
    },
    { head: 'CALLS', field: 'calls', right: true },
    { head: 'SETTLED', field: 'settled', right: true },
    { head: 'REFUNDED', field: 'refunded', right: true },
    { head: 'CHARGED', field: 'charged', right: true },
    { head: 'GIVEN BACK', field: 'givenBack', right: true },
    { head: 'MEAN MS', of: ({ calls, durationMs }) => formatMean(durationMs, calls), right: true },
    { head: 'REASONS', of: (row) => formatReasons(row['reasons']) },
  ])
}

function pickName(names: readonly unknown[]): string | undefined {
  return toText(names.find((name) => name !== undefined))
}

function formatMean(sum: unknown, count: unknown): string {
  return String(Math.round(Number(sum) / Math.max(1, Number(count))))
}

function formatReasons(value: unknown): string {
  return Object.entries(toFields(value))
    .map(([reason, count]) => `${reason} ${count}`)
    .join(', ')
}

export const USAGE_COMMAND: Command = {
  name: 'usage',
  summary: 'Add up calls and credits',
  details:
    'Calls that started in whole hours of UTC: today, or from --since until --until, 92 days at most. The sums are up to a minute behind the ledger.',
  arguments: [],
  options: [
    { flag: 'by', value: 'WHAT', help: 'what each row is about (day)', choices: USAGE_BY },
    SINCE,
    UNTIL,
    { flag: 'csv', help: 'print CSV, for spreadsheets' },
    { flag: 'ndjson', help: 'print a line of JSON for each row' },
  ],
  examples: [
    { says: 'What each skill earned today', line: 'skillgate usage --by skill' },
    { says: 'The users of a week, as CSV', line: 'skillgate usage --by user --since 7d --csv' },
  ],
  prints: 'a row for each skill, user, key or day',
  data: 'rows',
  run: usage,
}

/** The command `usage`: prints sums of calls and credits. */
import { type Command, getOption, type Invocation, isOn } from '../command/command.ts'
import { printJson, printRows } from '../command/print.ts'
import { readTime, SINCE, UNTIL } from '../command/time-value.ts'
import { type Fields, openAdminClient, toFields, toRows } from '../gateway/admin-client.ts'
import { EXIT, type ExitCode, toUsageFault } from '../terminal/exit-code.ts'
import type { Column } from '../terminal/table.ts'
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
  const [by, user, skill] = ['by', 'user', 'skill'].map((flag) => getOption(call, flag))
  const [since, until] = ['since', 'until'].map((flag) => readTime(call, flag, HOUR_MS))
  const query = { by, user, skill, since, until, format }
  if (format !== 'json') {
    call.shell.out.write(await admin.text({ method: 'GET', path: '/usage', query }))
    return EXIT.ok
  }
  const sums = await admin.send({ method: 'GET', path: '/usage', query })
  if (isOn(call, 'json')) printJson(call, sums)
  else printSums(call, sums, (by ?? 'day').split(','))
  return EXIT.ok
}

function printSums(call: Invocation, sums: Fields, by: readonly string[]): void {
  const { currency } = toFields(sums['creditPrice'])
  const money: readonly Column<Fields>[] =
    typeof currency === 'string' ? [{ head: currency, field: 'money', right: true }] : []
  printRows(call, withTotals(sums), [
    ...by.map(
      (word): Column<Fields> => ({
        head: word.toUpperCase(),
        of: (row) => toText(row[TOTAL_OF] === word ? 'total' : readName(row, word)),
        kind: 'id',
      }),
    ),
    { head: 'CALLS', field: 'calls', right: true },
    { head: 'SETTLED', field: 'settled', right: true },
    { head: 'REFUNDED', field: 'refunded', right: true },
    { head: 'CHARGED', field: 'charged', right: true },
    ...money,
    { head: 'GIVEN BACK', field: 'givenBack', right: true },
    { head: 'MEAN MS', of: ({ calls, durationMs }) => formatMean(durationMs, calls), right: true },
    { head: 'REASONS', of: (row) => formatReasons(row['reasons']) },
  ])
}

/** The column that says `total`. */
const TOTAL_OF = 'totalOf'

/** The entries, each group of the first word followed by its total, and the total of all. */
function withTotals(sums: Fields): readonly Fields[] {
  const entries = toRows(sums['entries'])
  if (entries.length === 0) return []
  const [first = 'day', second] = String(sums['by']).split(',')
  const total = { ...toFields(sums['total']), [TOTAL_OF]: first }
  if (second === undefined) return entries.length > 1 ? [...entries, total] : entries
  const groups = Map.groupBy(entries, (entry) => toGroupKey(entry, first))
  const rows = toRows(sums['totals']).flatMap((sum) => [
    ...(groups.get(toGroupKey(sum, first)) ?? []),
    { ...sum, [TOTAL_OF]: second },
  ])
  return [...rows, total]
}

/** A key has a user, and a skill a tier: both are part of the name. */
function toGroupKey(row: Fields, word: string): string {
  return JSON.stringify([
    readName(row, word),
    word === 'key' && row['uid'],
    word === 'skill' && row['source'],
  ])
}

function readName(row: Fields, word: string): unknown {
  return row[
    word === 'skill' ? 'skillId' : word === 'key' ? 'keyId' : word === 'user' ? 'uid' : word
  ]
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
    'Calls that started in whole hours of UTC: today, or from --since until --until, five years at most. The sums are up to a minute behind the ledger. --by takes one word, or two with a comma: the table then has totals of the first. CSV has no totals.',
  arguments: [],
  options: [
    {
      flag: 'by',
      value: 'WHAT',
      help: 'what each row is about: skill, user, key, day or month, or two of them (day)',
    },
    { flag: 'user', value: 'UID', help: 'only calls of this user', completes: 'users' },
    { flag: 'skill', value: 'ID', help: 'only calls of this skill', completes: 'skills' },
    SINCE,
    UNTIL,
    { flag: 'ndjson', help: 'print a line of JSON for each row' },
  ],
  examples: [
    { says: 'What each skill earned today', line: 'skillgate usage --by skill' },
    { says: 'The users of a week, as CSV', line: 'skillgate usage --by user --since 7d --csv' },
    {
      says: 'What each user spent on each skill in half a year',
      line: 'skillgate usage --by user,skill --since 6mo',
    },
  ],
  prints: 'a row for each skill, user, key, day or month, and the total',
  data: 'rows',
  run: usage,
}

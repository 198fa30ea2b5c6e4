/** The commands `credits grant`, `grants`, `debts` and `ledger`. */
import { randomBytes } from 'node:crypto'
import { MICRO_PER_CREDIT } from '../../core/ledger/amount.ts'
import { GRANTS_PAGE_MAX } from '../../core/ledger/limits.ts'
import { type Command, getArgument, getOption, type Invocation, isOn } from '../command/command.ts'
import { printFields, printRows } from '../command/print.ts'
import { type Fields, openAdminClient, toFields } from '../gateway/admin-client.ts'
import { fetchAllRows, fetchRows, PAGE_OPTIONS, takeRows } from '../gateway/pages.ts'
import { EXIT, type ExitCode } from '../terminal/exit-code.ts'
import { printNote } from '../terminal/shell.ts'
import { readNumber, UID } from './rows.ts'
import { toText, toUserPath } from './users.ts'

async function grant(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  const amount = readNumber(getArgument(call, 'AMOUNT'), 'AMOUNT')
  const grantId = getOption(call, 'grant-id') ?? randomBytes(GRANT_ID_BYTES).toString('hex')
  // The id is printed first, so that a command that fails can be repeated without granting twice.
  if (getOption(call, 'grant-id') === undefined)
    printNote(call.shell, `Grant ${grantId}: --grant-id ${grantId} repeats it safely.`)
  const path = `${toUserPath(call)}/credits`
  const mayOwe = isOn(call, 'allow-debt') ? { allowNegative: true } : {}
  const body = { grantId, amount, reason: getOption(call, 'reason'), ...mayOwe }
  const answer = await admin.send({ method: 'POST', path, body })
  const user = toFields(answer['user'])
  if (answer['granted'] === false)
    printNote(call.shell, 'This grant was counted before; nothing changed.')
  printFields(call, answer, [
    ['uid', toText(user['uid'])],
    ['credits', toText(user['credits'])],
    ['on hold', toText(user['creditsOnHold'])],
  ])
  return EXIT.ok
}

/** Bytes of a grant's id that this command makes: short, since lists show it whole. */
const GRANT_ID_BYTES = 8

async function grants(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  // The gateway lists grants by their ids. All are read, so that the newest come first.
  const request = { path: `${toUserPath(call)}/credits`, query: { limit: String(GRANTS_PAGE_MAX) } }
  const rows = await fetchAllRows(call, admin, request, 'grants')
  const newest = [...rows].sort((a, b) => Number(b['createdAtMs']) - Number(a['createdAtMs']))
  printRows(call, takeRows(call, newest), [
    { head: 'AT', field: 'createdAtMs', kind: 'time' },
    { head: 'AMOUNT', field: 'amount', right: true },
    { head: 'WHO', field: 'by', kind: 'name' },
    { head: 'WHY', field: 'reason' },
    { head: 'GRANT', field: 'grantId', kind: 'id' },
  ])
  if (rows.length > 0) printNote(call.shell, describeSums(rows))
  return EXIT.ok
}

/** Adds up all grants in millionths, because fractions of credits are not exact as numbers. */
function describeSums(rows: readonly Fields[]): string {
  const amounts = rows.map((row) => Math.round(Number(row['amount']) * MICRO_PER_CREDIT))
  const add = (sum: number, amount: number) => sum + amount
  const given = amounts.filter((amount) => amount > 0).reduce(add, 0)
  const taken = amounts.filter((amount) => amount < 0).reduce(add, 0)
  return `Given ${given / MICRO_PER_CREDIT}, taken ${-taken / MICRO_PER_CREDIT}, together ${(given + taken) / MICRO_PER_CREDIT}.`
}

async function debts(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  const rows = await fetchRows(call, admin, { path: '/users:in-debt' }, 'users')
  printRows(call, rows, [
    { head: 'UID', field: 'uid', kind: 'id' },
    { head: 'USERNAME', field: 'username', kind: 'name' },
    { head: 'CREDITS', field: 'credits', right: true },
    { head: 'TIER', field: 'tier' },
    { head: 'STATE', field: 'state', kind: 'state' },
  ])
  return EXIT.ok
}

async function ledger(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  const rows = await fetchRows(call, admin, { path: `${toUserPath(call)}/ledger` }, 'entries')
  printRows(call, rows, [
    { head: 'AT', field: 'createdAtMs', kind: 'time' },
    { head: 'SKILL', field: 'skillId', kind: 'name' },
    { head: 'STATE', field: 'state', kind: 'state' },
    { head: 'PRICE', field: 'amount', right: true },
    { head: 'CHARGED', field: 'charged', right: true },
    { head: 'REASON', field: 'reason' },
    { head: 'CALL', field: 'callId', kind: 'id' },
  ])
  return EXIT.ok
}

export const CREDIT_COMMANDS: readonly Command[] = [
  {
    name: 'credits grant',
    summary: 'Add credits to a user, or take some back',
    arguments: [
      UID,
      { name: 'AMOUNT', help: 'credits to add, as 10 or 0.5; -2.5 takes back, with --reason' },
    ],
    options: [
      { flag: 'grant-id', value: 'ID', help: 'counts once, however often it is sent (a new one)' },
      { flag: 'reason', value: 'TEXT', help: 'why; it is kept with the grant' },
      { flag: 'allow-debt', help: 'let what is taken back leave a balance below 0' },
    ],
    examples: [
      {
        says: 'Add 10 credits, once in November',
        line: 'skillgate credits grant ada 10 --grant-id november',
      },
      {
        says: 'Take some of them back',
        line: "skillgate credits grant ada -2.5 --reason 'November was granted twice in part'",
      },
    ],
    prints: 'the credits after the grant',
    data: 'record',
    run: grant,
  },
  {
    name: 'credits grants',
    summary: "List a user's grants and corrections",
    arguments: [UID],
    options: PAGE_OPTIONS,
    examples: [{ says: 'Who gave Ada credits, and why', line: 'skillgate credits grants ada' }],
    prints: 'a row for each grant, the newest first, and on stderr the sums of all of them',
    data: 'rows',
    run: grants,
  },
  {
    name: 'credits debts',
    summary: 'List users whose balance is below 0',
    details: 'A balance falls below 0 by credits grant with --allow-debt alone.',
    arguments: [],
    options: PAGE_OPTIONS,
    examples: [{ says: 'Who owes credits', line: 'skillgate credits debts' }],
    prints: 'a row for each user, deleted ones too',
    data: 'rows',
    run: debts,
  },
  {
    name: 'credits ledger',
    summary: 'List calls of a user with their charges and refunds',
    arguments: [UID],
    options: PAGE_OPTIONS,
    examples: [{ says: 'Show the last calls', line: 'skillgate credits ledger demo --limit 20' }],
    prints: 'a row for each call: running ones first, then newest first',
    data: 'rows',
    run: ledger,
  },
]

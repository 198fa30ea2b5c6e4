/** The commands `credits grant` and `credits ledger`. */
import { randomUUID } from 'node:crypto'
import { type Command, getArgument, getOption, type Invocation } from '../command/command.ts'
import { printFields, printRows } from '../command/print.ts'
import { openAdminClient, toFields } from '../gateway/admin-client.ts'
import { fetchRows, PAGE_OPTIONS } from '../gateway/pages.ts'
import { EXIT, type ExitCode } from '../terminal/exit-code.ts'
import { printNote } from '../terminal/shell.ts'
import { readNumber, UID } from './rows.ts'
import { toText, toUserPath } from './users.ts'

async function grant(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  const amount = readNumber(getArgument(call, 'AMOUNT'), 'AMOUNT')
  const grantId = getOption(call, 'grant-id') ?? randomUUID()
  // The id is printed first, so that a command that fails can be repeated without granting twice.
  if (getOption(call, 'grant-id') === undefined)
    printNote(call.shell, `Grant ${grantId}: --grant-id ${grantId} repeats it safely.`)
  const path = `${toUserPath(call)}/credits`
  const body = { grantId, amount, reason: getOption(call, 'reason') }
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

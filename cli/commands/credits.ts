/** The commands `credits grant` and `credits ledger`. */
import { randomUUID } from 'node:crypto'
import { argument, type Command, type Invocation, option } from '../command/command.ts'
import { printFields, printRows } from '../command/print.ts'
import { adminClient, fieldsOf } from '../gateway/admin-client.ts'
import { PAGE_OPTIONS, rowsOf } from '../gateway/pages.ts'
import { EXIT, type ExitCode } from '../terminal/exit-code.ts'
import { note } from '../terminal/shell.ts'
import { instant } from '../terminal/table.ts'
import { numberOf, UID } from './rows.ts'
import { pathOf, textOf } from './users.ts'

async function grant(call: Invocation): Promise<ExitCode> {
  const admin = await adminClient(call)
  const amount = numberOf(argument(call, 'AMOUNT'), 'AMOUNT')
  const grantId = option(call, 'grant-id') ?? randomUUID()
  // The id is printed first, so that a command that fails can be repeated without granting twice.
  if (option(call, 'grant-id') === undefined)
    note(call.shell, `Grant ${grantId}: --grant-id ${grantId} repeats it safely.`)
  const path = `${pathOf(call)}/credits`
  const body = { grantId, amount, reason: option(call, 'reason') }
  const answer = await admin.send({ method: 'POST', path, body })
  const user = fieldsOf(answer['user'])
  if (answer['granted'] === false)
    note(call.shell, 'This grant was counted before; nothing changed.')
  printFields(call, answer, [
    ['uid', textOf(user['uid'])],
    ['credits', textOf(user['credits'])],
    ['on hold', textOf(user['creditsOnHold'])],
  ])
  return EXIT.ok
}

async function ledger(call: Invocation): Promise<ExitCode> {
  const admin = await adminClient(call)
  const rows = await rowsOf(call, admin, { path: `${pathOf(call)}/ledger` }, 'entries')
  printRows(call, rows, [
    { head: 'AT', of: (row) => instant(row['createdAtMs']), whole: true },
    { head: 'SKILL', of: (row) => textOf(row['skillId']) },
    { head: 'STATE', of: (row) => textOf(row['state']) },
    { head: 'PRICE', of: (row) => textOf(row['amount']), right: true },
    { head: 'CHARGED', of: (row) => textOf(row['charged']), right: true },
    { head: 'REASON', of: (row) => textOf(row['reason']) },
    { head: 'CALL', of: (row) => textOf(row['callId']) },
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
    run: grant,
  },
  {
    name: 'credits ledger',
    summary: 'List calls of a user with their charges and refunds',
    arguments: [UID],
    options: PAGE_OPTIONS,
    examples: [{ says: 'Show the last calls', line: 'skillgate credits ledger demo --limit 20' }],
    prints: 'a row for each call: running ones first, then newest first',
    run: ledger,
  },
]

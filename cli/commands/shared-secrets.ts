/**
 * The commands `secrets shared set`, `ls` and `rm`: the gateway's own values, for users who have no
 * secret of that name.
 */
import { argument, type Command, type Invocation, option, options } from '../command/command.ts'
import { confirmed, readSecret, SECRET_OPTIONS, YES } from '../command/confirm.ts'
import { printFields, printRows } from '../command/print.ts'
import { adminClient, segment } from '../gateway/admin-client.ts'
import { PAGE_OPTIONS, rowsOf } from '../gateway/pages.ts'
import { EXIT, type ExitCode } from '../terminal/exit-code.ts'
import { note } from '../terminal/shell.ts'
import { instant } from '../terminal/table.ts'
import { numberOf } from './rows.ts'
import { listOf, ORIGIN, SECRET_NAME, SECRET_SKILL } from './secrets.ts'
import { textOf } from './users.ts'

async function set(call: Invocation): Promise<ExitCode> {
  const admin = await adminClient(call)
  const origins = options(call, 'origin')
  const keep = option(call, 'keep-previous')
  const body = {
    value: await readSecret(call, `Value of ${argument(call, 'NAME')}`),
    ...(origins.length === 0 ? {} : { origins }),
    ...(keep === undefined ? {} : { keepPreviousSec: numberOf(keep, '--keep-previous') }),
  }
  const set = await admin.send({ method: 'PUT', ...readPlace(call), body })
  printFields(call, set, [
    ['name', textOf(set['name'])],
    ['skill', textOf(set['skillId']) ?? 'all official ones'],
    ['sent to', listOf(set['origins'])],
    ['previous value until', instant(set['previousUntilMs'])],
  ])
  return EXIT.ok
}

async function list(call: Invocation): Promise<ExitCode> {
  const admin = await adminClient(call)
  const rows = await rowsOf(call, admin, { path: '/secrets' }, 'secrets')
  printRows(call, rows, [
    { head: 'NAME', of: (row) => textOf(row['name']) },
    { head: 'SKILL', of: (row) => textOf(row['skillId']) ?? 'all' },
    { head: 'SENT TO', of: (row) => listOf(row['origins']) },
    { head: 'SET BY', of: (row) => textOf(row['setBy']) },
    { head: 'DAYS', of: (row) => textOf(row['ageDays']), right: true },
    { head: 'LAST USED', of: (row) => instant(row['lastUsedDayMs'])?.slice(0, 10), whole: true },
  ])
  return EXIT.ok
}

async function remove(call: Invocation): Promise<ExitCode> {
  const admin = await adminClient(call)
  if (!(await confirmed(call, `Delete the shared secret ${argument(call, 'NAME')}?`))) {
    return EXIT.failed
  }
  await admin.send({ method: 'DELETE', ...readPlace(call) })
  note(call.shell, 'Deleted. No call uses it after 30 seconds.')
  return EXIT.ok
}

function readPlace(call: Invocation) {
  const path = `/secrets/${segment(argument(call, 'NAME'))}`
  return { path, query: { skill: option(call, 'skill') } }
}

export const SHARED_SECRET_COMMANDS: readonly Command[] = [
  {
    name: 'secrets shared set',
    summary: 'Set or rotate a secret that serves all users',
    details:
      'Official skills use it for users who have no secret of the name. The value is asked for, or read from stdin; no argument takes it. Without --skill, --origin is needed.',
    arguments: [SECRET_NAME],
    options: [
      SECRET_SKILL,
      ORIGIN,
      {
        flag: 'keep-previous',
        value: 'SECONDS',
        help: 'for so long, a request that the upstream refuses with the new value is sent again with the previous one',
      },
      ...SECRET_OPTIONS,
    ],
    examples: [
      {
        says: 'Set a secret for one skill',
        line: 'skillgate secrets shared set API_KEY --skill sg_weather',
        stdin: 'the key that the upstream gave you',
      },
      {
        says: 'Rotate it, with an hour for the upstream to follow',
        line: 'skillgate secrets shared set API_KEY --skill sg_weather --keep-previous 3600 --from-env API_KEY',
      },
    ],
    prints: 'where it may be sent',
    run: set,
  },
  {
    name: 'secrets shared ls',
    summary: 'List shared secrets, without their values',
    arguments: [],
    options: PAGE_OPTIONS,
    examples: [{ says: 'List shared secrets', line: 'skillgate secrets shared ls' }],
    prints: 'a row for each secret, with its age and last use',
    run: list,
  },
  {
    name: 'secrets shared rm',
    summary: 'Delete a shared secret',
    arguments: [SECRET_NAME],
    options: [SECRET_SKILL, YES],
    examples: [
      {
        says: 'Delete the shared secret of one skill',
        line: 'skillgate secrets shared rm API_KEY --skill sg_weather --yes',
      },
    ],
    prints: 'nothing',
    run: remove,
  },
]

/**
 * The commands `secrets shared set`, `ls` and `rm`: the gateway's own values, for users who have no
 * secret of that name.
 */
import {
  type Command,
  getArgument,
  getOption,
  getOptions,
  type Invocation,
} from '../command/command.ts'
import { askConfirmation, readSecret, SECRET_OPTIONS, YES } from '../command/confirm.ts'
import { printFields, printRows } from '../command/print.ts'
import { encodeSegment, openAdminClient } from '../gateway/admin-client.ts'
import { fetchRows, PAGE_OPTIONS } from '../gateway/pages.ts'
import { EXIT, type ExitCode } from '../terminal/exit-code.ts'
import { printNote } from '../terminal/shell.ts'
import { formatInstant } from '../terminal/table.ts'
import { readNumber } from './rows.ts'
import { formatOrigins, ORIGIN_OPTION, SECRET_NAME, SECRET_SKILL } from './secrets.ts'
import { toText } from './users.ts'

async function set(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  const origins = getOptions(call, 'origin')
  const keep = getOption(call, 'keep-previous')
  const body = {
    value: await readSecret(call, `Value of ${getArgument(call, 'NAME')}`),
    ...(origins.length === 0 ? {} : { origins }),
    ...(keep === undefined ? {} : { keepPreviousSec: readNumber(keep, '--keep-previous') }),
  }
  const set = await admin.send({ method: 'PUT', ...readPlace(call), body })
  printFields(call, set, [
    ['name', toText(set['name'])],
    ['skill', toText(set['skillId']) ?? 'all official ones'],
    ['sent to', formatOrigins(set['origins'])],
    ['previous value until', set['previousUntilMs'], 'time'],
  ])
  return EXIT.ok
}

async function list(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  const rows = await fetchRows(call, admin, { path: '/secrets' }, 'secrets')
  printRows(call, rows, [
    { head: 'NAME', field: 'name', kind: 'name' },
    { head: 'SKILL', of: (row) => toText(row['skillId']) ?? 'all', kind: 'id' },
    { head: 'SENT TO', of: (row) => formatOrigins(row['origins']) },
    { head: 'SET BY', field: 'setBy' },
    { head: 'DAYS', field: 'ageDays', right: true },
    {
      head: 'LAST USED',
      of: (row) => formatInstant(row['lastUsedDayMs'])?.slice(0, 10),
    },
  ])
  return EXIT.ok
}

async function remove(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  if (!(await askConfirmation(call, `Delete the shared secret ${getArgument(call, 'NAME')}?`))) {
    return EXIT.failed
  }
  await admin.send({ method: 'DELETE', ...readPlace(call) })
  printNote(call.shell, 'Deleted. No call uses it after 30 seconds.')
  return EXIT.ok
}

function readPlace(call: Invocation) {
  const path = `/secrets/${encodeSegment(getArgument(call, 'NAME'))}`
  return { path, query: { skill: getOption(call, 'skill') } }
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
      ORIGIN_OPTION,
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
    data: 'record',
    run: set,
  },
  {
    name: 'secrets shared ls',
    summary: 'List shared secrets, without their values',
    arguments: [],
    options: PAGE_OPTIONS,
    examples: [{ says: 'List shared secrets', line: 'skillgate secrets shared ls' }],
    prints: 'a row for each secret, with its age and last use',
    data: 'rows',
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
    data: 'none',
    run: remove,
  },
]

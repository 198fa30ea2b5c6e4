/**
 * The commands `secrets set`, `ls` and `rm`. The value of a secret comes from a prompt, stdin, a
 * variable or a file.
 */
import {
  type Command,
  getArgument,
  getOption,
  getOptions,
  type Invocation,
  type Option,
} from '../command/command.ts'
import { askConfirmation, readSecret, SECRET_OPTIONS, YES } from '../command/confirm.ts'
import { printFields, printRows } from '../command/print.ts'
import { encodeSegment, openAdminClient } from '../gateway/admin-client.ts'
import { fetchRows, PAGE_OPTIONS } from '../gateway/pages.ts'
import { EXIT, type ExitCode } from '../terminal/exit-code.ts'
import { printNote } from '../terminal/shell.ts'
import { UID } from './rows.ts'
import { toText, toUserPath } from './users.ts'

export const SECRET_NAME = { name: 'NAME', help: 'the name as skills use it: {{secrets.NAME}}' }
export const SECRET_SKILL: Option = {
  flag: 'skill',
  value: 'SKILL',
  help: 'the only skill that may use it',
  completes: 'skills',
}
export const ORIGIN_OPTION: Option = {
  flag: 'origin',
  value: 'ORIGIN',
  help: 'where it may be sent, as https://api.example.com',
  many: true,
}

async function set(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  const origins = getOptions(call, 'origin')
  const marketSkills = getOptions(call, 'market-skill')
  const body = {
    value: await readSecret(call, `Value of ${getArgument(call, 'NAME')}`),
    ...(origins.length === 0 ? {} : { origins }),
    ...(marketSkills.length === 0 ? {} : { marketSkills }),
  }
  const saved = await admin.send({
    method: 'PUT',
    path: toSecretPath(call),
    query: toSkillQuery(call),
    body,
  })
  printFields(call, saved, [
    ['name', toText(saved['name'])],
    ['skill', toText(saved['skillId'])],
    ['sent to', formatOrigins(saved['origins'])],
  ])
  return EXIT.ok
}

async function list(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  const rows = await fetchRows(call, admin, { path: `${toUserPath(call)}/secrets` }, 'secrets')
  printRows(call, rows, [
    { head: 'NAME', field: 'name', kind: 'name' },
    { head: 'SKILL', of: (row) => toText(row['skillId']) ?? 'all', kind: 'id' },
    { head: 'SENT TO', of: (row) => formatOrigins(row['origins']) },
    { head: 'UPDATED', field: 'updatedAtMs', kind: 'time' },
    // `setAnew`: the secret is of a time without bindings, and is not used until it is set again.
    {
      head: '',
      field: 'state',
      of: (row) => (row['setAnew'] === true ? 'set it again' : ''),
      kind: 'state',
    },
  ])
  return EXIT.ok
}

async function remove(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  if (
    !(await askConfirmation(
      call,
      `Delete secret ${getArgument(call, 'NAME')} of ${getArgument(call, 'UID')}?`,
    ))
  ) {
    return EXIT.failed
  }
  await admin.send({ method: 'DELETE', path: toSecretPath(call), query: toSkillQuery(call) })
  printNote(call.shell, 'Deleted. No call uses it after 30 seconds.')
  return EXIT.ok
}

function toSecretPath(call: Invocation): string {
  return `${toUserPath(call)}/secrets/${encodeSegment(getArgument(call, 'NAME'))}`
}

function toSkillQuery(call: Invocation) {
  return { skill: getOption(call, 'skill') }
}

/** Returns the origins that a secret may be sent to, as text. */
export function formatOrigins(value: unknown): string | undefined {
  if (!Array.isArray(value)) return undefined
  return value.length === 0 ? 'wherever its skills send it' : value.join(', ')
}

export const SECRET_COMMANDS: readonly Command[] = [
  {
    name: 'secrets set',
    summary: "Set a user's secret",
    details:
      'The value is asked for, or read from stdin; no argument takes it. Without --skill, all official and private skills of the user may use it.',
    arguments: [UID, SECRET_NAME],
    options: [
      SECRET_SKILL,
      ORIGIN_OPTION,
      {
        flag: 'market-skill',
        value: 'SKILL',
        help: 'a market skill that may use it; needs --origin',
        many: true,
      },
      ...SECRET_OPTIONS,
    ],
    examples: [
      {
        says: 'Set a secret that may be sent to one host only',
        line: 'skillgate secrets set ada API_KEY --origin https://api.example.com',
        stdin: 'the key that the upstream gave you',
      },
      {
        says: 'Take the value from a variable',
        line: 'skillgate secrets set ada API_KEY --skill sg_weather --from-env API_KEY',
      },
    ],
    prints: 'where it may be sent',
    data: 'record',
    run: set,
  },
  {
    name: 'secrets ls',
    summary: "List a user's secrets, without their values",
    arguments: [UID],
    options: PAGE_OPTIONS,
    examples: [{ says: "List Ada's secrets", line: 'skillgate secrets ls ada' }],
    prints: 'a row for each secret',
    data: 'rows',
    run: list,
  },
  {
    name: 'secrets rm',
    summary: 'Delete a secret',
    arguments: [UID, SECRET_NAME],
    options: [SECRET_SKILL, YES],
    examples: [
      {
        says: 'Delete the secret of one skill',
        line: 'skillgate secrets rm ada API_KEY --skill sg_weather --yes',
      },
    ],
    prints: 'nothing',
    data: 'none',
    run: remove,
  },
]

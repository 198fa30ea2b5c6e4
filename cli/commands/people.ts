/** The commands `users ls`, `disable`, `enable` and `rm`. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, getArgument, getOption, type Invocation } from '../command/command.ts'
import { askConfirmation, YES } from '../command/confirm.ts'
import { printRows } from '../command/print.ts'
import { type Fields, openAdminClient, toRefusalFault } from '../gateway/admin-client.ts'
import { fetchRows, PAGE_OPTIONS } from '../gateway/pages.ts'
import { CommandFault, EXIT, type ExitCode } from '../terminal/exit-code.ts'
import { printNote } from '../terminal/shell.ts'
import { UID } from './rows.ts'
import { printUser, toUserPath } from './users.ts'

/**
 * Most requests of one deletion. Each request deletes for some seconds; a user with very many keys
 * needs several.
 */
const DELETE_REQUESTS_MAX = 100
const DELETE_PAUSE_MS = 200

async function list(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  const query = {
    username: getOption(call, 'search'),
    tier: getOption(call, 'tier'),
    state: getOption(call, 'state'),
    group: getOption(call, 'group'),
    identity: getOption(call, 'identity'),
  }
  const rows = await fetchRows(call, admin, { path: '/users', query }, 'users')
  printRows<Fields>(call, rows, [
    { head: 'UID', field: 'uid', kind: 'id' },
    { head: 'USERNAME', field: 'username' },
    { head: 'TIER', field: 'tier' },
    { head: 'STATE', field: 'state', kind: 'state' },
    { head: 'CREATED', field: 'createdAtMs', kind: 'time' },
  ])
  return EXIT.ok
}

function toSetStateCommand(state: 'active' | 'disabled') {
  return async (call: Invocation): Promise<ExitCode> => {
    const admin = await openAdminClient(call)
    const reason = getOption(call, 'reason')
    const body = { state, ...(reason === undefined ? {} : { reason }) }
    printUser(call, await admin.send({ method: 'PATCH', path: toUserPath(call), body }))
    return EXIT.ok
  }
}

async function remove(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  await admin.send({ method: 'GET', path: toUserPath(call) })
  const uid = getArgument(call, 'UID')
  if (!(await askConfirmation(call, `Delete user ${uid} with keys, secrets and private skills?`))) {
    return EXIT.failed
  }
  for (let request = 0; request < DELETE_REQUESTS_MAX; request += 1) {
    const answer = await admin.exchange({ method: 'DELETE', path: toUserPath(call) })
    if (answer.status === 204) {
      printNote(call.shell, 'Deleted. The ledger stays and names nobody.')
      return EXIT.ok
    }
    if (answer.status >= 400) throw toRefusalFault(answer)
    await sleep(DELETE_PAUSE_MS, undefined, { signal: call.shell.signal })
  }
  throw new CommandFault(`${uid} is not deleted yet.`, { remedy: 'Send the same command again.' })
}

export const PEOPLE_COMMANDS: readonly Command[] = [
  {
    name: 'users ls',
    summary: 'List and find users',
    arguments: [],
    options: [
      { flag: 'search', value: 'NAME', help: 'users whose name begins with this text' },
      { flag: 'tier', value: 'TIER', help: 'users of this tier' },
      {
        flag: 'state',
        value: 'STATE',
        help: 'users in this state',
        choices: ['active', 'disabled', 'deleting', 'deleted'],
      },
      { flag: 'group', value: 'GROUP', help: 'users in this group' },
      { flag: 'identity', value: 'IDENTITY', help: 'the user with this identity' },
      ...PAGE_OPTIONS,
    ],
    examples: [
      {
        says: 'Find active users by the beginning of their name',
        line: 'skillgate users ls --search ad --state active',
      },
    ],
    prints: 'a row for each user; credits are in users show',
    data: 'rows',
    run: list,
  },
  {
    name: 'users disable',
    summary: 'Refuse all calls of a user',
    details: 'Keys, secrets, skills and credits stay. The user reads the reason.',
    arguments: [UID],
    options: [{ flag: 'reason', value: 'TEXT', help: 'what the user is told' }],
    examples: [
      {
        says: 'Disable a user',
        line: "skillgate users disable ada --reason 'the November invoice is not paid'",
      },
    ],
    prints: 'the user',
    data: 'record',
    run: toSetStateCommand('disabled'),
  },
  {
    name: 'users enable',
    summary: 'Serve a disabled user again',
    arguments: [UID],
    options: [],
    examples: [{ says: 'Enable a user', line: 'skillgate users enable ada' }],
    prints: 'the user',
    data: 'record',
    run: toSetStateCommand('active'),
  },
  {
    name: 'users rm',
    summary: 'Delete a user',
    details:
      'Removes keys, secrets, private skills and open streams. The ledger stays and names nobody.',
    arguments: [UID],
    options: [YES],
    examples: [{ says: 'Delete a user', line: 'skillgate users rm old-user --yes' }],
    prints: 'nothing',
    data: 'none',
    run: remove,
  },
]

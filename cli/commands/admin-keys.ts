/**
 * The commands `admin-keys create`, `ls` and `revoke`: the keys of administrators and their roles.
 */
import { ADMIN_ROLES } from '../../core/access/admin-role.ts'
import { type Command, getArgument, getOption, type Invocation } from '../command/command.ts'
import { askConfirmation, YES } from '../command/confirm.ts'
import { printFields, printRows } from '../command/print.ts'
import {
  type AdminClient,
  encodeSegment,
  type Fields,
  openAdminClient,
  toRows,
} from '../gateway/admin-client.ts'
import { findWholeId } from '../gateway/whole-id.ts'
import { EXIT, type ExitCode, toUsageFault } from '../terminal/exit-code.ts'
import { printNote } from '../terminal/shell.ts'
import { formatInstant } from '../terminal/table.ts'
import { toText } from './users.ts'

async function create(call: Invocation): Promise<ExitCode> {
  const role = getOption(call, 'role')
  if (role === undefined) {
    throw toUsageFault('--role is missing.', `Write --role with one of ${ADMIN_ROLES.join(', ')}.`)
  }
  const expiresAt = getOption(call, 'expires')
  const body = {
    name: getArgument(call, 'NAME'),
    role,
    ...(expiresAt === undefined ? {} : { expiresAt }),
  }
  const admin = await openAdminClient(call)
  const made = await admin.send({ method: 'POST', path: '/keys', body })
  printNote(call.shell, 'The key is shown only now: only its hash is stored.')
  printFields(call, made, [
    ['key', toText(made['key'])],
    ['name', toText(made['name'])],
    ['role', toText(made['role'])],
    ['ends', made['expiresAtMs'] ?? 'when it is revoked', 'time'],
  ])
  return EXIT.ok
}

async function list(call: Invocation): Promise<ExitCode> {
  printRows<Fields>(call, await fetchAdminKeys(await openAdminClient(call)), [
    { head: 'NAME', field: 'name', kind: 'name' },
    { head: 'ROLE', field: 'role' },
    { head: 'KEY', field: 'keyPrefix', kind: 'id' },
    { head: 'CREATED', field: 'createdAtMs', kind: 'time' },
    { head: 'BY', field: 'createdBy' },
    {
      head: 'LAST USED',
      of: (row) => formatInstant(row['lastUsedAtMs'])?.slice(0, 10),
    },
    { head: 'ENDS', field: 'expiresAtMs', kind: 'time' },
  ])
  return EXIT.ok
}

async function fetchAdminKeys(admin: AdminClient): Promise<readonly Fields[]> {
  const { keys } = await admin.send({ method: 'GET', path: '/keys' })
  return toRows(keys)
}

async function revoke(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  const keys = await fetchAdminKeys(admin)
  const choices = keys.map(({ keyId, keyPrefix, name }) => ({
    id: String(keyId),
    aliases: [String(name), toText(keyPrefix) ?? ''],
  }))
  const words = { noun: 'key', list: 'skillgate admin-keys ls' }
  const id = findWholeId(getArgument(call, 'KEY'), choices, words)
  const { name, role } = keys.find(({ keyId }) => keyId === id) ?? {}
  const question = `Revoke the key ${id} of ${name}, ${role}?`
  if (!(await askConfirmation(call, question))) return EXIT.failed
  await admin.send({ method: 'DELETE', path: `/keys/${encodeSegment(id)}` })
  printNote(call.shell, 'Revoked. The next request with it is refused.')
  return EXIT.ok
}

export const ADMIN_KEY_COMMANDS: readonly Command[] = [
  {
    name: 'admin-keys create',
    summary: 'Make a key for an administrator',
    details:
      'owner may do all, operator users, credits, keys and secrets, publisher skills and lists; viewer reads.',
    arguments: [{ name: 'NAME', help: 'of a person or program; the audit trail names it' }],
    options: [
      { flag: 'role', value: 'ROLE', help: 'what the key may do', choices: ADMIN_ROLES },
      { flag: 'expires', value: 'TIME', help: 'its end, as 2099-12-31 (until it is revoked)' },
    ],
    examples: [
      { says: 'Make a key for Grace', line: 'skillgate admin-keys create grace --role operator' },
    ],
    prints: 'the key, which is shown only this once',
    data: 'record',
    run: create,
  },
  {
    name: 'admin-keys ls',
    summary: 'List the keys of administrators',
    arguments: [],
    options: [],
    examples: [{ says: 'Who administers this gateway', line: 'skillgate admin-keys ls' }],
    prints: 'a row for each key, expired ones included',
    data: 'rows',
    run: list,
  },
  {
    name: 'admin-keys revoke',
    summary: "Revoke an administrator's key",
    arguments: [{ name: 'KEY', help: 'its name, its id, or what admin-keys ls shows as KEY' }],
    options: [YES],
    examples: [{ says: "Revoke Grace's key", line: 'skillgate admin-keys revoke grace --yes' }],
    prints: 'nothing',
    data: 'none',
    run: revoke,
  },
]

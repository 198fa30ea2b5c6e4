/** The commands `keys issue`, `ls` and `revoke`. */
import { type Command, getArgument, type Invocation } from '../command/command.ts'
import { askConfirmation, YES } from '../command/confirm.ts'
import { printFields, printRows } from '../command/print.ts'
import { type AdminClient, encodeSegment, openAdminClient } from '../gateway/admin-client.ts'
import { fetchRows, PAGE_OPTIONS } from '../gateway/pages.ts'
import { CommandFault, EXIT, type ExitCode, toUsageFault } from '../terminal/exit-code.ts'
import { printNote } from '../terminal/shell.ts'
import { formatInstant } from '../terminal/table.ts'
import { UID } from './rows.ts'
import { toText, toUserPath } from './users.ts'

async function issue(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  const issued = await admin.send({ method: 'POST', path: `${toUserPath(call)}/keys` })
  printNote(call.shell, 'The key is shown only now: only its hash is stored.')
  printFields(call, issued, [
    ['key', toText(issued['key'])],
    ['key id', toText(issued['keyId'])],
    ['ends unused', formatInstant(issued['expiresAtMs'])],
  ])
  return EXIT.ok
}

async function list(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  const rows = await fetchRows(call, admin, { path: `${toUserPath(call)}/keys` }, 'keys')
  printRows(call, rows, [
    { head: 'KEY', of: (row) => toText(row['keyPrefix']), whole: true },
    { head: 'CREATED', of: (row) => formatInstant(row['createdAtMs']), whole: true },
    { head: 'LAST USED', of: (row) => formatInstant(row['lastUsedAtMs']), whole: true },
    { head: 'ENDS', of: (row) => formatInstant(row['expiresAtMs']), whole: true },
    { head: 'KEY ID', of: (row) => toText(row['keyId']) },
  ])
  return EXIT.ok
}

async function revoke(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  const keyId = await findKeyId(call, admin)
  if (
    !(await askConfirmation(
      call,
      `Revoke key ${keyId.slice(0, 8)}… of ${getArgument(call, 'UID')}?`,
    ))
  ) {
    return EXIT.failed
  }
  await admin.send({ method: 'DELETE', path: `${toUserPath(call)}/keys/${encodeSegment(keyId)}` })
  printNote(call.shell, 'Revoked. The key works nowhere after 30 seconds.')
  return EXIT.ok
}

/** Finds the key by a prefix of the key or of its id that no other key of the user shares. */
async function findKeyId(call: Invocation, admin: AdminClient): Promise<string> {
  const typed = getArgument(call, 'KEY')
  const everything = { ...call, given: { ...call.given, all: ['true'] } }
  const rows = await fetchRows(everything, admin, { path: `${toUserPath(call)}/keys` }, 'keys')
  const ids = rows
    .filter(({ keyId, keyPrefix }) => String(keyId).startsWith(typed) || isPrefix(keyPrefix, typed))
    .map(({ keyId }) => String(keyId))
  const [only, second] = ids
  if (only === undefined) {
    throw new CommandFault(`${getArgument(call, 'UID')} has no key ${typed.slice(0, 8)}.`, {
      remedy: 'See skillgate keys ls.',
    })
  }
  if (second === undefined) return only
  throw toUsageFault(
    `${ids.length} keys begin with ${typed}.`,
    'Type more of the KEY ID that skillgate keys ls shows.',
  )
}

/** A whole key is found by its first characters, which the gateway stores. */
function isPrefix(keyPrefix: unknown, typed: string): boolean {
  return typeof keyPrefix === 'string' && keyPrefix !== '' && typed.startsWith(keyPrefix)
}

export const KEY_COMMANDS: readonly Command[] = [
  {
    name: 'keys issue',
    summary: 'Make an API key for a user',
    arguments: [UID],
    options: [],
    examples: [{ says: 'Make a key for Ada', line: 'skillgate keys issue ada' }],
    prints: 'the key, which is shown only this once',
    run: issue,
  },
  {
    name: 'keys ls',
    summary: "List a user's keys",
    arguments: [UID],
    options: PAGE_OPTIONS,
    examples: [{ says: "List Ada's keys", line: 'skillgate keys ls ada' }],
    prints: 'a row for each key, expired ones included',
    run: list,
  },
  {
    name: 'keys revoke',
    summary: 'Revoke a key',
    arguments: [
      UID,
      { name: 'KEY', help: 'its id or the beginning of it, or what keys ls shows as KEY' },
    ],
    options: [YES],
    examples: [
      {
        says: 'Revoke a key by the characters that a list shows',
        line: 'skillgate keys revoke ada $KEY_PREFIX --yes',
      },
    ],
    prints: 'nothing',
    run: revoke,
  },
]

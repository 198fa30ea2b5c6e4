/** The commands `keys issue`, `ls` and `revoke`. */
import { argument, type Command, type Invocation } from '../command/command.ts'
import { confirmed, YES } from '../command/confirm.ts'
import { printFields, printRows } from '../command/print.ts'
import { type AdminClient, adminClient, segment } from '../gateway/admin-client.ts'
import { PAGE_OPTIONS, rowsOf } from '../gateway/pages.ts'
import { CommandFault, EXIT, type ExitCode, usageFault } from '../terminal/exit-code.ts'
import { note } from '../terminal/shell.ts'
import { instant } from '../terminal/table.ts'
import { UID } from './rows.ts'
import { pathOf, textOf } from './users.ts'

async function issue(call: Invocation): Promise<ExitCode> {
  const admin = await adminClient(call)
  const issued = await admin.send({ method: 'POST', path: `${pathOf(call)}/keys` })
  note(call.shell, 'The key is shown only now: only its hash is stored.')
  printFields(call, issued, [
    ['key', textOf(issued['key'])],
    ['key id', textOf(issued['keyId'])],
    ['ends unused', instant(issued['expiresAtMs'])],
  ])
  return EXIT.ok
}

async function list(call: Invocation): Promise<ExitCode> {
  const admin = await adminClient(call)
  const rows = await rowsOf(call, admin, { path: `${pathOf(call)}/keys` }, 'keys')
  printRows(call, rows, [
    { head: 'KEY', of: (row) => textOf(row['keyPrefix']), whole: true },
    { head: 'CREATED', of: (row) => instant(row['createdAtMs']), whole: true },
    { head: 'LAST USED', of: (row) => instant(row['lastUsedAtMs']), whole: true },
    { head: 'ENDS', of: (row) => instant(row['expiresAtMs']), whole: true },
    { head: 'KEY ID', of: (row) => textOf(row['keyId']) },
  ])
  return EXIT.ok
}

async function revoke(call: Invocation): Promise<ExitCode> {
  const admin = await adminClient(call)
  const keyId = await findKeyId(call, admin)
  if (!(await confirmed(call, `Revoke key ${keyId.slice(0, 8)}… of ${argument(call, 'UID')}?`))) {
    return EXIT.failed
  }
  await admin.send({ method: 'DELETE', path: `${pathOf(call)}/keys/${segment(keyId)}` })
  note(call.shell, 'Revoked. The key works nowhere after 30 seconds.')
  return EXIT.ok
}

/** Finds the key by a prefix of the key or of its id that no other key of the user shares. */
async function findKeyId(call: Invocation, admin: AdminClient): Promise<string> {
  const typed = argument(call, 'KEY')
  const everything = { ...call, given: { ...call.given, all: ['true'] } }
  const rows = await rowsOf(everything, admin, { path: `${pathOf(call)}/keys` }, 'keys')
  const ids = rows
    .filter(({ keyId, keyPrefix }) => String(keyId).startsWith(typed) || isPrefix(keyPrefix, typed))
    .map(({ keyId }) => String(keyId))
  const [only, second] = ids
  if (only === undefined) {
    throw new CommandFault(`${argument(call, 'UID')} has no key ${typed.slice(0, 8)}.`, {
      remedy: 'See skillgate keys ls.',
    })
  }
  if (second === undefined) return only
  throw usageFault(
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

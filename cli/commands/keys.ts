/** The commands `keys issue`, `set`, `ls` and `revoke`. */
import { argument, type Command, type Invocation } from '../command/command.ts'
import { confirmed, YES } from '../command/confirm.ts'
import { printFields, printRows } from '../command/print.ts'
import { type AdminClient, adminClient, segment } from '../gateway/admin-client.ts'
import { PAGE_OPTIONS, rowsOf } from '../gateway/pages.ts'
import { CommandFault, EXIT, type ExitCode, usageFault } from '../terminal/exit-code.ts'
import { note } from '../terminal/shell.ts'
import { instant } from '../terminal/table.ts'
import { SCOPE_OPTIONS, scopeBody, toolsText } from './key-scope.ts'
import { UID } from './rows.ts'
import { formatBudget, pathOf, textOf } from './users.ts'

async function issue(call: Invocation): Promise<ExitCode> {
  const admin = await adminClient(call)
  const body = scopeBody(call)
  const path = `${pathOf(call)}/keys`
  const sent = Object.values(body).every((value) => value === undefined) ? {} : { body }
  const issued = await admin.send({ method: 'POST', path, ...sent })
  note(call.shell, 'The key is shown only now: only its hash is stored.')
  printFields(call, issued, [
    ['key', textOf(issued['key'])],
    ['key id', textOf(issued['keyId'])],
    ['ends unused', instant(issued['expiresAtMs'])],
  ])
  return EXIT.ok
}

async function set(call: Invocation): Promise<ExitCode> {
  const body = scopeBody(call)
  if (Object.values(body).every((value) => value === undefined)) {
    const flags = SCOPE_OPTIONS.map(({ flag }) => `--${flag}`)
    throw usageFault('Nothing to set.', `Add ${flags.join(', ')}.`)
  }
  const admin = await adminClient(call)
  const keyId = await findKeyId(call, admin)
  const path = `${pathOf(call)}/keys/${segment(keyId)}`
  const key = await admin.send({ method: 'PATCH', path, body })
  note(call.shell, 'New tools and a new price limit are in effect everywhere after 30 seconds.')
  printFields(call, key, [
    ['key id', textOf(key['keyId'])],
    ['tools', toolsText(key['tools'])],
    ['credits a call', textOf(key['maxCreditsPerCall'])],
    ['monthly budget', formatBudget(key['monthlyBudget'])],
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
    { head: 'TOOLS', of: (row) => toolsText(row['tools']) },
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

const KEY = {
  name: 'KEY',
  help: 'its id or the beginning of it, or what keys ls shows as KEY',
}

export const KEY_COMMANDS: readonly Command[] = [
  {
    name: 'keys issue',
    summary: 'Make an API key for a user',
    arguments: [UID],
    options: SCOPE_OPTIONS,
    examples: [
      { says: 'Make a key for Ada', line: 'skillgate keys issue ada' },
      {
        says: 'Make a key for cheap official tools',
        line: "skillgate keys issue ada --tools 'sg_*' --max-credits 0.5",
      },
    ],
    prints: 'the key, which is shown only this once',
    run: issue,
  },
  {
    name: 'keys set',
    summary: 'Change what a key may do',
    arguments: [UID, KEY],
    options: SCOPE_OPTIONS,
    examples: [
      {
        says: 'Let a key call every tool again',
        line: 'skillgate keys set ada $KEY_PREFIX --tools all',
      },
    ],
    prints: 'the limits of the key after the change',
    run: set,
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
    arguments: [UID, KEY],
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

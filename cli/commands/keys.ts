/** The commands `keys issue`, `set`, `ls` and `revoke`. */
import { type Command, getArgument, type Invocation } from '../command/command.ts'
import { askConfirmation, YES } from '../command/confirm.ts'
import { printFields, printRows } from '../command/print.ts'
import {
  type AdminClient,
  encodeSegment,
  type Fields,
  openAdminClient,
} from '../gateway/admin-client.ts'
import { fetchRows, PAGE_OPTIONS } from '../gateway/pages.ts'
import { CommandFault, EXIT, type ExitCode, toUsageFault } from '../terminal/exit-code.ts'
import { printNote } from '../terminal/shell.ts'
import { formatInstant } from '../terminal/table.ts'
import {
  formatDay,
  formatScope,
  formatShortDay,
  formatTools,
  SCOPE_OPTIONS,
  toScopeBody,
} from './key-scope.ts'
import { toMs, UID } from './rows.ts'
import { formatBudget, formatShortBudget, toText, toUserPath } from './users.ts'

async function issue(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  const body = toScopeBody(call)
  const path = `${toUserPath(call)}/keys`
  const sent = Object.values(body).every((value) => value === undefined) ? {} : { body }
  const issued = await admin.send({ method: 'POST', path, ...sent })
  printNote(call.shell, 'The key is shown only now: only its hash is stored.')
  printFields(call, issued, [
    ['key', toText(issued['key'])],
    ['key id', toText(issued['keyId'])],
    ['ends unused', formatInstant(issued['expiresAtMs'])],
  ])
  return EXIT.ok
}

async function set(call: Invocation): Promise<ExitCode> {
  const body = toScopeBody(call)
  if (Object.values(body).every((value) => value === undefined)) {
    const flags = SCOPE_OPTIONS.map(({ flag }) => `--${flag}`)
    throw toUsageFault('Nothing to set.', `Add ${flags.join(', ')}.`)
  }
  const admin = await openAdminClient(call)
  const keyId = await findKeyId(call, admin)
  const path = `${toUserPath(call)}/keys/${encodeSegment(keyId)}`
  const key = await admin.send({ method: 'PATCH', path, body })
  printNote(
    call.shell,
    'New tools and a new price limit are in effect everywhere after 30 seconds.',
  )
  printFields(call, key, [
    ['key id', toText(key['keyId'])],
    ['tools', formatTools(key['tools'])],
    ['credits a call', toText(key['maxCreditsPerCall'])],
    ['monthly budget', formatBudget(key['monthlyBudget'])],
    ['calls per day', formatDay(key['callsPerDay'])],
    ['may issue keys', key['mayIssueKeys'] === true ? 'yes' : 'no'],
  ])
  return EXIT.ok
}

async function list(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  const rows = await fetchRows(call, admin, { path: `${toUserPath(call)}/keys` }, 'keys')
  printRows(call, rows, [
    { head: 'KEY', of: formatKey, kind: 'id' },
    { head: 'LAST USED', of: (row) => toMs(row['lastUsedAtMs']), kind: 'time' },
    { head: 'ENDS', of: (row) => toMs(row['expiresAtMs']), kind: 'time' },
    { head: 'BUDGET', of: (row) => formatShortBudget(row['monthlyBudget']), right: true },
    { head: 'TODAY', of: (row) => formatShortDay(row['callsPerDay']), right: true },
    { head: 'MAY CALL', of: formatScope },
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

/** The start of a key, or `invite` with its state. */
function formatKey({ invitation, keyPrefix }: Fields): string | undefined {
  return invitation === undefined ? toText(keyPrefix) : `${keyPrefix} ${invitation}`
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
    prints:
      'a row for each key, expired ones included: budget and calls of today as used/limit, and what it may call',
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

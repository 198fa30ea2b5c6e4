/** The commands `keys issue`, `set`, `ls` and `revoke`. */
import { type Command, getArgument, type Invocation, isOn } from '../command/command.ts'
import { askConfirmation, YES } from '../command/confirm.ts'
import { printFields, printRows } from '../command/print.ts'
import {
  type AdminClient,
  encodeSegment,
  type Fields,
  openAdminClient,
} from '../gateway/admin-client.ts'
import { findKeyPlace, issueUserKey, type KeyPlace, keepUserKey } from '../gateway/keep-user-key.ts'
import { fetchAllRows, fetchRows, PAGE_OPTIONS } from '../gateway/pages.ts'
import { findWholeId } from '../gateway/whole-id.ts'
import { EXIT, type ExitCode, toUsageFault } from '../terminal/exit-code.ts'
import { printNote } from '../terminal/shell.ts'
import {
  formatDay,
  formatScope,
  formatShortDay,
  formatTools,
  SCOPE_OPTIONS,
  toScopeBody,
} from './key-scope.ts'
import { UID } from './rows.ts'
import { formatBudget, formatShortBudget, toText, toUserPath } from './users.ts'

async function issue(call: Invocation): Promise<ExitCode> {
  const place = isOn(call, 'save') ? findKeyPlace(call) : undefined
  const admin = await openAdminClient(call)
  const body = toScopeBody(call)
  const isScoped = Object.values(body).some((value) => value !== undefined)
  const issued = await issueUserKey(admin, getArgument(call, 'UID'), isScoped ? body : undefined)
  if (place !== undefined) return saveKey(call, place, issued)
  printNote(call.shell, 'The key is shown only now: only its hash is stored.')
  printFields(call, issued, [
    ['key', toText(issued['key'])],
    ['key id', toText(issued['keyId'])],
    ['ends unused', issued['expiresAtMs'], 'time'],
  ])
  return EXIT.ok
}

/** A key that is kept is not printed: nobody needs to copy it. */
async function saveKey(call: Invocation, place: KeyPlace, issued: Fields): Promise<ExitCode> {
  const { key, keyId } = issued
  await keepUserKey(call, place, String(key))
  printNote(call.shell, `Kept in the profile ${place.name}: tools, call and connect use it.`)
  printFields(call, { profile: place.name, keyId }, [
    ['profile', place.name],
    ['key id', toText(keyId)],
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
    { head: 'KEY', of: formatKey, kind: 'name' },
    { head: 'LAST USED', field: 'lastUsedAtMs', kind: 'time' },
    { head: 'ENDS', of: (row) => row['expiresAtMs'] ?? 'never', kind: 'time' },
    { head: 'BUDGET', of: (row) => formatShortBudget(row['monthlyBudget']), right: true },
    { head: 'TODAY', of: (row) => formatShortDay(row['callsPerDay']), right: true },
    { head: 'MAY CALL', of: formatScope },
    { head: 'KEY ID', field: 'keyId', kind: 'long-id' },
  ])
  return EXIT.ok
}

async function revoke(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  const keyId = await findKeyId(call, admin)
  if (!(await askConfirmation(call, `Revoke key ${keyId} of ${getArgument(call, 'UID')}?`))) {
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

/** Finds the key by its id, by the characters that `keys ls` shows as KEY, or by the key itself. */
async function findKeyId(call: Invocation, admin: AdminClient): Promise<string> {
  const typed = getArgument(call, 'KEY')
  const rows = await fetchAllRows(call, admin, { path: `${toUserPath(call)}/keys` }, 'keys')
  const choices = rows.map(({ keyId, keyPrefix }) => ({
    id: String(keyId),
    aliases: [toText(keyPrefix) ?? ''],
  }))
  // Of a whole key, the gateway stores the first characters.
  const prefix = choices.flatMap(({ aliases }) => aliases).find((one) => isPrefix(one, typed))
  const list = `skillgate keys ls ${getArgument(call, 'UID')}`
  return findWholeId(prefix ?? typed, choices, { noun: 'key', list })
}

function isPrefix(prefix: string, typed: string): boolean {
  return prefix !== '' && typed.startsWith(prefix)
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
    options: [
      ...SCOPE_OPTIONS,
      { flag: 'save', help: 'keep the key in the profile, for tools, call and connect' },
    ],
    examples: [
      { says: 'Make a key for Ada', line: 'skillgate keys issue ada' },
      {
        says: 'Make a key for cheap official tools',
        line: "skillgate keys issue ada --tools 'sg_*' --max-credits 0.5",
      },
    ],
    prints: 'the key, which is shown only this once; with --save its id',
    data: 'record',
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
    data: 'record',
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
    data: 'rows',
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
    data: 'none',
    run: revoke,
  },
]

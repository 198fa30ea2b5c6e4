/** The commands `invites create`, `logins ls` and `logins end`. */
import { type Command, getArgument, type Invocation, isOn } from '../command/command.ts'
import { askConfirmation, YES } from '../command/confirm.ts'
import { printFields, printRows } from '../command/print.ts'
import { type AdminClient, encodeSegment, openAdminClient } from '../gateway/admin-client.ts'
import { fetchAllRows, fetchRows, PAGE_OPTIONS } from '../gateway/pages.ts'
import { findWholeId } from '../gateway/whole-id.ts'
import { EXIT, type ExitCode } from '../terminal/exit-code.ts'
import { printNote } from '../terminal/shell.ts'
import { toOneLine } from '../terminal/table.ts'
import { SCOPE_OPTIONS, toScopeBody } from './key-scope.ts'
import { UID } from './rows.ts'
import { toText, toUserPath } from './users.ts'

/** Characters of an id that tell it from the user's other keys. */
const INVITE_ID_SHOWN = 10

async function invite(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  const { mayIssueKeys: _, ...body } = toScopeBody(call)
  const path = `${toUserPath(call)}/invites`
  const sent = Object.values(body).every((value) => value === undefined) ? {} : { body }
  const invited = await admin.send({ method: 'POST', path, ...sent })
  printNote(call.shell, 'The link is shown only now: only its hash is stored.')
  // A link stands alone in its line, so that a click in a terminal takes all of it and nothing else.
  if (!isOn(call, 'json')) call.shell.out.write(`${toOneLine(toText(invited['link']) ?? '')}\n`)
  printFields(call, invited, [
    ['invite id', toText(invited['inviteId'])],
    ['valid until', invited['expiresAtMs'], 'time'],
  ])
  const uid = getArgument(call, 'UID')
  printNote(call.shell, `Send the link to ${uid} alone. It logs in one client, once.`)
  const id = String(invited['inviteId']).slice(0, INVITE_ID_SHOWN)
  printNote(call.shell, `To take it back: skillgate keys revoke ${uid} ${toOneLine(id)}`)
  return EXIT.ok
}

async function list(call: Invocation): Promise<ExitCode> {
  const admin = await openAdminClient(call)
  const rows = await fetchRows(call, admin, { path: `${toUserPath(call)}/logins` }, 'logins')
  printRows(call, rows, [
    { head: 'LOGIN ID', field: 'loginId', kind: 'id' },
    { head: 'CREATED', field: 'createdAtMs', kind: 'time' },
    { head: 'REFRESHED', field: 'lastRefreshAtMs', kind: 'time' },
    { head: 'CALLS ITSELF', field: 'clientName' },
    { head: 'CLIENT', field: 'clientHost' },
    { head: 'RETURNED TO', field: 'redirectHost' },
    { head: 'KEY ID', field: 'keyId', kind: 'id' },
  ])
  return EXIT.ok
}

async function end(call: Invocation): Promise<ExitCode> {
  const uid = getArgument(call, 'UID')
  const admin = await openAdminClient(call)
  const id = await findLoginId(call, admin)
  if (!(await askConfirmation(call, `End login ${id} of ${uid}?`))) return EXIT.failed
  await admin.send({ method: 'DELETE', path: `${toUserPath(call)}/logins/${encodeSegment(id)}` })
  printNote(call.shell, 'Ended. Its client can call nothing after 30 seconds.')
  return EXIT.ok
}

async function findLoginId(call: Invocation, admin: AdminClient): Promise<string> {
  const rows = await fetchAllRows(call, admin, { path: `${toUserPath(call)}/logins` }, 'logins')
  const choices = rows.map(({ loginId }) => ({ id: String(loginId) }))
  const list = `skillgate logins ls ${getArgument(call, 'UID')}`
  return findWholeId(getArgument(call, 'LOGIN'), choices, { noun: 'login', list })
}

const LOGIN = { name: 'LOGIN', help: 'its id, or the beginning of it' }

export const LOGIN_COMMANDS: readonly Command[] = [
  {
    name: 'invites create',
    summary: 'Make a link with which a user logs in without a key',
    arguments: [UID],
    options: SCOPE_OPTIONS.filter(({ flag }) => flag !== 'may-issue-keys'),
    examples: [
      { says: 'Invite Ada', line: 'skillgate invites create ada' },
      {
        says: 'Invite Ada to cheap official tools',
        line: "skillgate invites create ada --tools 'sg_*' --max-credits 0.5",
      },
    ],
    prints: 'the link, which is shown only this once; keys ls lists the invitation',
    data: 'record',
    run: invite,
  },
  {
    name: 'logins ls',
    summary: 'List the clients that a user has logged in',
    arguments: [UID],
    options: PAGE_OPTIONS,
    examples: [{ says: "List Ada's logins", line: 'skillgate logins ls ada' }],
    prints: 'a row for each login that has not ended',
    data: 'rows',
    run: list,
  },
  {
    name: 'logins end',
    summary: 'End a login',
    arguments: [UID, LOGIN],
    options: [YES],
    examples: [{ says: 'End a login of Ada', line: 'skillgate logins end ada $LOGIN_ID --yes' }],
    prints: 'nothing',
    data: 'none',
    run: end,
  },
]

/** The commands `identities link` and `invite`: logins of other issuers that become users. */
import { type Command, getOption, type Invocation, isOn } from '../command/command.ts'
import { printFields } from '../command/print.ts'
import { openAdminClient } from '../gateway/admin-client.ts'
import { EXIT, type ExitCode, toUsageFault } from '../terminal/exit-code.ts'
import { printNote } from '../terminal/shell.ts'
import { UID } from './rows.ts'
import { toText, toUserPath } from './users.ts'

async function link(call: Invocation): Promise<ExitCode> {
  const identity = getOption(call, 'identity')
  const issuer = getOption(call, 'issuer')
  const subject = getOption(call, 'subject')
  const isNamed = issuer !== undefined && subject !== undefined
  const isHalf = (issuer === undefined) !== (subject === undefined)
  if (isHalf || isNamed === (identity !== undefined)) {
    const remedy =
      'Write --identity with the id that the refused login shows, or --issuer and --subject.'
    throw toUsageFault('The login to link is not named, or named twice.', remedy)
  }
  const body = identity === undefined ? { issuer, subject } : { identity }
  const admin = await openAdminClient(call)
  const linked = await admin.send({ method: 'POST', path: `${toUserPath(call)}/identities`, body })
  printNote(call.shell, 'Linked. The login works everywhere after 30 seconds.')
  printFields(call, linked, [['key id', toText(linked['keyId'])]])
  return EXIT.ok
}

async function invite(call: Invocation): Promise<ExitCode> {
  const issuer = getOption(call, 'issuer')
  const email = getOption(call, 'email')
  if (issuer === undefined || email === undefined) {
    throw toUsageFault('--issuer or --email is missing.', 'Write both: the person logs in there.')
  }
  const admin = await openAdminClient(call)
  const path = `${toUserPath(call)}/identities`
  const isWithdrawn = isOn(call, 'withdraw')
  const body = { issuer, email, ...(isWithdrawn ? { withdraw: true } : {}) }
  const invited = await admin.send({ method: 'POST', path, body })
  const note = isWithdrawn
    ? 'Withdrawn. Nobody becomes the user by this address.'
    : 'Invited. The first login with this verified address becomes the user.'
  printNote(call.shell, note)
  printFields(call, invited, [['ends', invited['expiresAtMs'], 'time']])
  return EXIT.ok
}

const ISSUER = {
  flag: 'issuer',
  value: 'URL',
  help: 'the authorization server, as the setting issuers has it',
} as const

export const IDENTITY_COMMANDS: readonly Command[] = [
  {
    name: 'identities link',
    summary: 'Let a login of an issuer be a user',
    details:
      'keys ls lists the login, keys set limits it, and keys revoke unlinks it. If its issuer makes users of everybody (provision auto), disable the user instead: an unlinked login gets a user of its own.',
    arguments: [UID],
    options: [
      { flag: 'identity', value: 'ID', help: 'the id that the refused login shows' },
      ISSUER,
      { flag: 'subject', value: 'S', help: 'the subject of its tokens there' },
    ],
    examples: [
      {
        says: 'Link the login that was refused',
        line: 'skillgate identities link ada --identity i:n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg',
      },
    ],
    prints: 'the key id of the login',
    data: 'record',
    run: link,
  },
  {
    name: 'identities invite',
    summary: 'Let the first login with a mail address be a user',
    details:
      'The token of the login must say email_verified. An invitation waits 30 days and is used once; the latest of an address counts.',
    arguments: [UID],
    options: [
      ISSUER,
      { flag: 'email', value: 'E', help: 'the mail address, in any case' },
      { flag: 'withdraw', help: 'take the invitation back, if nobody has used it' },
    ],
    examples: [
      {
        says: 'Invite Ada',
        line: 'skillgate identities invite ada --issuer https://login.example.com --email ada@example.com',
        untested: 'needs an authorization server',
      },
    ],
    prints: 'when the invitation ends',
    data: 'record',
    run: invite,
  },
]

/**
 * The words of each remedy, for readers of the admin API (`rest`) and of the command line
 * (`terminal`). They are side by side, so that a new remedy has both.
 */
import { quoteForShell } from '../json/shell-line.ts'
import type {
  AccessRemedy,
  ListOfGateway,
  ListOfUser,
  Remedy,
  SecretRemedy,
  ShownRemedy,
  SkillRemedy,
  UpstreamStep,
  UserRemedy,
} from './remedy.ts'

/** One sentence or two for each reader. */
export type RemedyWords = { readonly rest: string; readonly terminal: string }

const BASE = '/v1/admin'

type Explained = { readonly detail: string; readonly remedy?: Remedy | undefined }
type Shown = { readonly detail: string; readonly remedy?: ShownRemedy }

/** Ends the detail with the words for REST, and shows the remedy beside it. */
export function showRemedy({ detail, remedy }: Explained): Shown {
  if (remedy === undefined) return { detail }
  const text = writeRemedy(remedy).rest
  // A text of field errors ends without a full stop.
  const end = /[.!?…]$/.test(detail) ? '' : '.'
  return { detail: `${detail}${end} ${text}`, remedy: { ...remedy, text } }
}

export function writeRemedy(remedy: Remedy): RemedyWords {
  switch (remedy.code) {
    case 'get_role':
    case 'send_credential':
    case 'send_internal_secret':
    case 'sign_in':
      return writeAccess(remedy)
    case 'allow_debt':
    case 'create_user':
    case 'find_identity':
    case 'grant_initial':
    case 'grant_rest':
    case 'unlink_identity':
    case 'end_used_invite':
      return writeUser(remedy)
    case 'sync_skill':
    case 'name_owner':
      return SKILL_WORDS[remedy.code]
    case 'set_secret':
    case 'name_user':
    case 'confirm_secret':
      return writeSecret(remedy)
    case 'list_keys':
    case 'list_logins':
    case 'list_secrets':
      return writeListOfUser(remedy)
    case 'approve_upstream':
    case 'delete_upstream':
    case 'finish_upstream':
    case 'plan_upstream':
      return writeUpstream(remedy)
    default:
      return GATEWAY_LISTS[remedy.code]
  }
}

function writeAccess(remedy: AccessRemedy): RemedyWords {
  switch (remedy.code) {
    case 'get_role':
      return {
        rest: `An owner makes keys: POST ${BASE}/keys.`,
        terminal: `Ask an owner for a key: skillgate admin-keys create NAME --role ${remedy.role}`,
      }
    case 'send_credential':
      return {
        rest: 'Send X-Admin-Key: <ADMIN_KEY>, or Authorization: Bearer <INTERNAL_API_SECRET>.',
        terminal: 'Sign in again with skillgate login, or set SKILLGATE_ADMIN_KEY.',
      }
    case 'send_internal_secret':
      return {
        rest: 'Send Authorization: Bearer <INTERNAL_API_SECRET>; this route takes nothing else.',
        terminal: 'This takes INTERNAL_API_SECRET alone, which the command line does not send.',
      }
    case 'sign_in':
      return {
        rest: 'Sign in again at the issuer for a new token.',
        terminal: 'Sign in again with skillgate login.',
      }
    default:
      return remedy satisfies never
  }
}

function writeUser(remedy: UserRemedy): RemedyWords {
  switch (remedy.code) {
    case 'allow_debt':
      return {
        rest: 'Take less, or send "allowNegative": true to leave a debt.',
        terminal: 'Take less, or leave a debt with --allow-debt.',
      }
    case 'create_user':
      return {
        rest: `POST ${BASE}/users creates one.`,
        terminal: `${toCommand('users create', remedy.uid)} makes one.`,
      }
    case 'find_identity':
      return {
        rest: `GET ${BASE}/users?identity= shows who.`,
        terminal: 'skillgate users ls --identity IDENTITY shows who.',
      }
    case 'grant_initial': {
      const { amount, uid } = remedy
      return {
        rest: `Send POST ${toPath('users', uid)}/credits with {"grantId":"initial","amount":${amount}}.`,
        terminal: `Grant them: ${toCommand('credits grant', uid, amount)} --grant-id initial`,
      }
    }
    case 'grant_rest':
      return {
        rest: `Grant the rest by POST ${toPath('users', remedy.uid)}/credits.`,
        terminal: `Grant the rest: ${toCommand('credits grant', remedy.uid)} AMOUNT`,
      }
    case 'unlink_identity': {
      const { keyId, uid } = remedy
      return {
        rest: `DELETE ${toPath('users', uid)}/keys/${keyId} unlinks it.`,
        terminal: `${toCommand('keys revoke', uid, keyId)} unlinks it.`,
      }
    }
    case 'end_used_invite':
      return {
        rest: 'If somebody has used it, DELETE of their key ends the login.',
        terminal: `If somebody has used it, ${toCommand('keys revoke', remedy.uid)} KEY ends the login.`,
      }
    default:
      return remedy satisfies never
  }
}

const SKILL_WORDS: { readonly [code in SkillRemedy['code']]: RemedyWords } = {
  sync_skill: {
    rest: `Sync the skill first: POST ${BASE}/sync_skill.`,
    terminal: 'Push the skill first: skillgate skills push FILE',
  },
  name_owner: {
    rest: 'Add ?uid=<user id> to the URL.',
    terminal: 'Name the owner with --uid UID.',
  },
}

function writeSecret(remedy: SecretRemedy): RemedyWords {
  switch (remedy.code) {
    case 'set_secret':
      return writeSetting(remedy)
    case 'name_user': {
      const { name, shared } = remedy
      const [rest, terminal] = shared
        ? [
            ` in uid, or set one for all: PUT ${toPath('secrets', name)}.`,
            ` with --as UID, or set it for all: ${toCommand('secrets shared set', name)}`,
          ]
        : [' in uid.', ' with --as UID.']
      return { rest: `Name a user${rest}`, terminal: `Name a user${terminal}` }
    }
    case 'confirm_secret': {
      const { path, command } = toSecretPlace(remedy)
      return {
        rest: `The person who set it, or an administrator, confirms it by setting it again: PUT ${path}.`,
        terminal: `Confirm it by setting it again: ${command}`,
      }
    }
    default:
      return remedy satisfies never
  }
}

function writeSetting(remedy: Extract<SecretRemedy, { readonly code: 'set_secret' }>): RemedyWords {
  const { name, shared, skill, uid } = remedy
  const { path } = toSecretPlace({ uid, name })
  const { command } = toSecretPlace({ uid, name, skill })
  const [forAll, orShared] = shared
    ? [
        ` For all users: PUT ${toPath('secrets', name)}.`,
        ', or for all users with secrets shared set',
      ]
    : ['', '']
  return {
    rest: `Set it with PUT ${path}, or with ${toQuery(skill)} for this skill alone.${forAll}`,
    terminal: `Set it with ${command}${orShared}.`,
  }
}

/** Where a secret is set: one of a user, or a shared one without `uid`. */
function toSecretPlace({
  name,
  skill,
  uid,
}: {
  readonly uid?: string
  readonly name: string
  readonly skill?: string
}): { readonly path: string; readonly command: string } {
  const query = skill === undefined ? '' : toQuery(skill)
  const option = skill === undefined ? '' : ` --skill ${quoteForShell(skill)}`
  return uid === undefined
    ? {
        path: `${toPath('secrets', name)}${query}`,
        command: `${toCommand('secrets shared set', name)}${option}`,
      }
    : {
        path: `${toPath('users', uid)}/secrets/${name}${query}`,
        command: `${toCommand('secrets set', uid, name)}${option}`,
      }
}

function toQuery(skill: string): string {
  return `?skill=${encodeURIComponent(skill.toWellFormed())}`
}

function writeListOfUser({ code, uid }: { code: ListOfUser; uid: string }): RemedyWords {
  const noun = { list_keys: 'keys', list_logins: 'logins', list_secrets: 'secrets' }[code]
  return {
    rest: `GET ${toPath('users', uid)}/${noun} lists the ${noun} that exist.`,
    terminal: `${toCommand(`${noun} ls`, uid)} lists the ${noun} that exist.`,
  }
}

const GATEWAY_LISTS: { readonly [code in ListOfGateway]: RemedyWords } = {
  list_admin_keys: toListWords('keys', 'admin-keys ls', 'the keys'),
  list_failed_events: toListWords('events?state=failed', 'events ls', 'those that failed'),
  list_guides: toListWords('guides', 'guides ls', 'those that exist'),
  list_shared_secrets: toListWords('secrets', 'secrets shared ls', 'those that exist'),
  list_skills: toListWords('skills', 'skills ls', 'the skills that exist'),
  list_upstreams: toListWords('upstreams', 'upstreams ls', 'them'),
}

function toListWords(path: string, command: string, what: string): RemedyWords {
  return {
    rest: `GET ${BASE}/${path} lists ${what}.`,
    terminal: `skillgate ${command} lists ${what}.`,
  }
}

function writeUpstream({
  code,
  upstream,
}: {
  readonly code: UpstreamStep
  readonly upstream: string
}): RemedyWords {
  const path = toPath('upstreams', upstream)
  switch (code) {
    case 'approve_upstream':
      return {
        rest: `GET ${path} shows the change, and POST ${path}:approve accepts it.`,
        terminal: `${toCommand('upstreams approve', upstream)} shows the change and accepts it.`,
      }
    case 'delete_upstream':
      return {
        rest: `Send DELETE ${path} again to complete that.`,
        terminal: `${toCommand('upstreams rm', upstream)} completes that.`,
      }
    case 'finish_upstream':
      return {
        rest: `PUT ${path} with the digest of a plan completes it.`,
        terminal: `${toCommand('upstreams put', upstream)} completes it.`,
      }
    case 'plan_upstream':
      return {
        rest: `POST ${path}:plan shows them.`,
        terminal: `${toCommand('upstreams plan', upstream)} shows them.`,
      }
    default:
      return code satisfies never
  }
}

function toPath(noun: string, id: string): string {
  return `${BASE}/${noun}/${encodeURIComponent(id.toWellFormed())}`
}

function toCommand(command: string, ...words: readonly (string | undefined)[]): string {
  const given = words.filter((word) => word !== undefined).map(quoteForShell)
  return ['skillgate', command, ...given].join(' ')
}

/**
 * Reads `config.auth` of type `oauth2`. The grant `authorization_code` has each user log in at the
 * upstream's own authorization server, with the gateway as client; the other grants are hooks.
 */
import { isJsonObject, type Json, type JsonObject } from '../../json/json.ts'
import { PAIR_NAME_CHARS_MAX } from '../limits.ts'
import type { SkillAuth, SkillHook } from '../skill.ts'
import { addFieldError, checkText, type Notes, warnUnknown } from './field-notes.ts'

const POINTER = '/config/auth'

/** Characters of a URL in `config.auth`. */
export const OAUTH_URL_CHARS_MAX = 300
/** Characters of the scopes of a login. */
export const OAUTH_SCOPE_CHARS_MAX = 1_000

/** The hook of each grant that needs no person. */
const HOOK_OF_GRANT: ReadonlyMap<Json | undefined, string> = new Map([
  ['client_credentials', 'oauth2_client_credentials'],
  ['token_exchange', 'oauth2_token_exchange'],
])

const GRANTS = ['authorization_code', ...HOOK_OF_GRANT.keys()]

/** Returns undefined for a grant that is a hook. `secret` was read and checked. */
export function readOAuthAuth(
  notes: Notes,
  value: JsonObject,
  { defaultResource, readSecret }: OAuthSurroundings,
): SkillAuth | undefined {
  const { client_id: clientId, grant, issuer, scope } = value
  if (grant !== 'authorization_code') {
    if (!HOOK_OF_GRANT.has(grant)) {
      addFieldError(notes, `${POINTER}/grant`, `must be one of ${GRANTS.join(', ')}`)
    }
    return undefined
  }
  const known = ['type', 'grant', 'secret', 'resource', 'issuer', 'client_id', 'scope']
  warnUnknown(notes, POINTER, value, known)
  return {
    type: 'oauth2',
    grant,
    secret: readSecret(),
    resource: readResource(notes, value, defaultResource),
    issuer: readUrl(notes, 'issuer', issuer),
    clientId: readWords(notes, 'client_id', clientId),
    scope: readWords(notes, 'scope', scope),
  }
}

type OAuthSurroundings = { readonly defaultResource: string; readonly readSecret: () => string }

/**
 * Without an issuer, the resource names its own authorization server. It must then be at the host
 * that gets the tokens: otherwise a tool could have people log in at one service and send the token
 * to another.
 */
function readResource(notes: Notes, value: JsonObject, defaultResource: string): string {
  const resource = readUrl(notes, 'resource', value['resource']) ?? defaultResource
  const isOwn = URL.parse(resource)?.origin === URL.parse(defaultResource)?.origin
  if (!isOwn && value['issuer'] === undefined) {
    const rule = 'must be at the host of the endpoint, or stand beside the issuer that it is for'
    addFieldError(notes, `${POINTER}/resource`, rule)
  }
  return resource
}

/** The hook that `config.auth` stands for, with its other fields as options; at most one. */
export function readOAuthHook(auth: Json | undefined): readonly SkillHook[] {
  if (!isJsonObject(auth) || auth['type'] !== 'oauth2') return []
  const { grant, type: _type, ...options } = auth
  const name = HOOK_OF_GRANT.get(grant)
  return name === undefined ? [] : [{ name, options, optionsAt: POINTER }]
}

function readUrl(notes: Notes, field: string, value: Json | undefined): string | undefined {
  if (value === undefined) return undefined
  const url = typeof value === 'string' && value.length <= OAUTH_URL_CHARS_MAX && URL.parse(value)
  if (url && /^https?:$/.test(url.protocol) && url.hash === '') return String(value)
  const rule = `must be a URL without a fragment, https://host/path, of at most ${OAUTH_URL_CHARS_MAX} characters`
  addFieldError(notes, `${POINTER}/${field}`, rule)
  return undefined
}

function readWords(notes: Notes, field: string, value: Json | undefined): string | undefined {
  if (value === undefined) return undefined
  const charsMax = field === 'scope' ? OAUTH_SCOPE_CHARS_MAX : PAIR_NAME_CHARS_MAX
  if (typeof value === 'string' && checkText(value, { charsMax }) === undefined) return value
  addFieldError(notes, `${POINTER}/${field}`, `must be a text of 1 to ${charsMax} characters`)
  return undefined
}

/**
 * Reads `config.auth`: where one of the user's secrets goes in every call. read-signing.ts reads
 * the type `sigv4`, which has no secret.
 */
import { isJsonObject, type Json, type JsonObject } from '../../json/json.ts'
import { toJsonPointer } from '../../json/json-pointer.ts'
import { PAIR_NAME_CHARS_MAX } from '../limits.ts'
import type { Skill, SkillAuth } from '../skill.ts'
import { addFieldError, checkText, type Notes, readText, warnUnknown } from './field-notes.ts'
import { readOAuthAuth } from './read-oauth.ts'
import { checkHeaderName } from './read-pairs.ts'
import { isSigned, readSigning } from './read-signing.ts'

const POINTER = '/config/auth'
const TYPES = ['bearer', 'basic', 'header', 'query', 'cookie'] as const
const ALL_TYPES = [...TYPES, 'oauth2', 'sigv4']
/** The same form as in {{secrets.NAME}}. */
const SECRET_NAME = /^[A-Z][A-Z0-9_]{0,63}$/

/**
 * `beside` has the pairs that the skill sets itself, which `auth` may not overwrite or repeat, and
 * what a login is for unless `auth` says so.
 */
export function readAuth(
  notes: Notes,
  value: Json | undefined,
  beside: Beside,
): Pick<Skill, 'auth' | 'signing'> {
  if (!isSigned(value)) return { auth: readSecretAuth(notes, value, beside) }
  const signing = readSigning(notes, value, beside)
  return { auth: undefined, ...(signing === undefined ? {} : { signing }) }
}

function readSecretAuth(
  notes: Notes,
  value: Json | undefined,
  beside: Beside,
): SkillAuth | undefined {
  const auth =
    value === undefined || value === null ? undefined : readAuthObject(notes, value, beside)
  if (auth === undefined) return undefined
  const [field, name] = findPair(auth)
  if (name !== '' && Object.hasOwn(beside[field], name)) {
    addFieldError(
      notes,
      `/config/${field}${toJsonPointer([name])}`,
      'is also set by config.auth; keep one of them',
    )
  }
  return auth
}

type Beside = Pick<Skill, 'headers' | 'query'> & { readonly defaultResource: string }

function findPair(auth: SkillAuth): readonly ['headers' | 'query', name: string] {
  if (auth.type === 'header') return ['headers', auth.name]
  if (auth.type === 'cookie') return ['headers', 'cookie']
  return auth.type === 'query' ? ['query', auth.name] : ['headers', 'authorization']
}

function readAuthObject(
  notes: Notes,
  value: Json,
  { defaultResource }: Beside,
): SkillAuth | undefined {
  if (!isJsonObject(value)) {
    addFieldError(notes, POINTER, 'is not an object; send {"type": "bearer", "secret": "NAME"}')
    return undefined
  }
  if (value['type'] === 'oauth2') {
    const readSecret = () => readSecretName(notes, value['secret'])
    return readOAuthAuth(notes, value, { defaultResource, readSecret })
  }
  const type = TYPES.find((known) => known === value['type'])
  if (type === undefined)
    addFieldError(notes, `${POINTER}/type`, `must be one of ${ALL_TYPES.join(', ')}`)
  const secret = readSecretName(notes, value['secret'])
  if (type === undefined) return undefined
  if (type === 'bearer') return warnOfOthers(notes, value, ['type', 'secret'], { type, secret })
  if (type === 'basic') return readBasic(notes, value, secret)
  const name = readPlaceName(notes, type, value['name'])
  return warnOfOthers(notes, value, ['type', 'secret', 'name'], { type, secret, name })
}

function readBasic(notes: Notes, value: JsonObject, secret: string): SkillAuth {
  const username = value['username']
  const isGood =
    username === undefined ||
    (typeof username === 'string' &&
      !username.includes(':') &&
      checkText(username, { charsMax: PAIR_NAME_CHARS_MAX }) === undefined)
  if (!isGood) {
    const wanted = `1 to ${PAIR_NAME_CHARS_MAX} characters without a colon`
    addFieldError(
      notes,
      `${POINTER}/username`,
      `must be ${wanted}; leave it out if the secret is user:password`,
    )
  }
  const auth = { type: 'basic', secret, username: isGood ? username : undefined } as const
  return warnOfOthers(notes, value, ['type', 'secret', 'username'], auth)
}

function readSecretName(notes: Notes, value: Json | undefined): string {
  if (typeof value === 'string' && SECRET_NAME.test(value)) return value
  const wanted =
    'the name of a secret, 1 to 64 characters of A-Z 0-9 _ and a letter first, never its value'
  addFieldError(notes, `${POINTER}/secret`, `must be ${wanted}`)
  return ''
}

function readPlaceName(
  notes: Notes,
  type: 'cookie' | 'header' | 'query',
  value: Json | undefined,
): string {
  const name = readText(notes, `${POINTER}/name`, value, { charsMax: PAIR_NAME_CHARS_MAX })
  const wrong = name === '' ? undefined : checkPlaceName(type, name)
  if (wrong !== undefined) addFieldError(notes, `${POINTER}/name`, wrong)
  return type === 'header' ? name.toLowerCase() : name
}

function checkPlaceName(type: 'cookie' | 'header' | 'query', name: string): string | undefined {
  if (type === 'header') return checkHeaderName(name)
  const isCookie = type !== 'cookie' || COOKIE_NAME.test(name)
  return isCookie ? undefined : "is not a cookie's name; use letters, digits, _ and -"
}

/** A token (RFC 6265 4.1.1). */
const COOKIE_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

function warnOfOthers(
  notes: Notes,
  value: JsonObject,
  known: readonly string[],
  auth: SkillAuth,
): SkillAuth {
  warnUnknown(notes, POINTER, value, known)
  return auth
}

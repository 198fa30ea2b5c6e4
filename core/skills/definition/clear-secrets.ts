/**
 * Finds credentials that a definition has in the clear. Everybody who reads the skill could read
 * them: other administrators, versions, backups. A credential is recognised by the name that it is
 * sent under, or by a form that only credentials have. An error never repeats the credential.
 */
import type { FieldError } from '../../errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../json/json.ts'
import { toJsonPointer } from '../../json/json-pointer.ts'

type Path = readonly (string | number)[]

/** Returns an error for each place, at most one for a place. */
export function findClearSecrets(definition: Json): readonly FieldError[] {
  if (!isJsonObject(definition)) return []
  const found = Object.entries(definition).flatMap(([name, value]) => {
    if (name === 'import') return []
    const path = [name]
    if (name === 'meta') return [...findInSchemas(value, path), ...findByForms(value, path)]
    if (name === 'config') return [...findInConfig(value), ...findByForms(value, path)]
    return [...findByNames(value, path), ...findByForms(value, path)]
  })
  return [...new Map(found.toReversed().map((one) => [one.pointer, one])).values()].toReversed()
}

/** Names that are sent with a credential, without case and punctuation. */
const CERTAIN_NAME =
  /^(?:proxy)?authorization$|(?:api|access|auth|application|app|consumer|encryption|functions|master|private|secret|signing|subscription)key$|(?:access|api|auth|bearer|bot|figma|id|oauth|private|refresh|security|session|subscription|user|vault)token$|(?:api|app|client|consumer|shared|signing|webhook)secret$|passw(?:or)?d$/
/** Names that often have another meaning: their values must look random, too. */
const POSSIBLE_NAME =
  /^x?(?:appid|auth|credential|jwt|key|pass|pwd|secret|sid|sig|signature|token)$/

/** Fewest characters of a credential under a certain name. */
const SECRET_CHARS_MIN = 6
const RANDOM = /^(?=.*\d)(?=.*[a-z])[\w+/=.~-]{16,}$/i
/** The scheme of a header (RFC 9110 section 11.4). After another word the value must look random. */
const SCHEME = /^(?:apikey|basic|bearer|bot|digest|oauth|ssws|token)\s+/i
const SENT_SCHEME = /^(?:basic|bearer)\s+(\S+)$/i
/** Words that a person writes where a credential will be, and keys that are public. */
const PLACEHOLDER =
  /[{}…\s]|<[^<>]*>|\*{3}|^\$|\$[({]|^(?:your[\W_]|(?:my|an?|the|some)[_-][a-z_-]*$|example|sample|demo|dummy|test|fake|placeholder|change|replace|insert|public|guest|anonymous|none|null|undefined|true|false|x{3,}|https?:)/i
/** Places of arguments and secrets. */
const PLACES = /\{\{[^{}]*\}\}|\{[^{}]*\}/g
/** A pair in JSON, GraphQL or an attribute, and an element of XML. */
const TEXT_PAIR =
  /([\w-]{1,64})["']?\s*[:=]\s*"([^"\\]{1,2048})"|<([\w:-]{1,64})>([^<>]{1,2048})<\//g
/** The names of secrets, which hooks and `auth` have in members such as `secret`. */
const SECRET_REFERENCE = /^[A-Z][A-Z0-9_]{0,63}$/
const NAMES_SECRETS: ReadonlySet<string> = new Set(['auth', 'plugin_hooks', 'plugin_options'])
/** Their values are places in requests and answers, which have the names of credentials. */
const HAS_PLACES: ReadonlySet<string> = new Set(['arguments', 'repeat', 'response', 'task'])

function findInConfig(config: Json | undefined): readonly FieldError[] {
  if (!isJsonObject(config)) return findByNames(config, ['config'])
  return Object.entries(config).flatMap(([name, value]) => {
    const path = ['config', name]
    if (name === 'body' && typeof value === 'string') {
      return hasPairInText(value) ? [toError(path)] : []
    }
    if (HAS_PLACES.has(name)) return findInUrls(value, path)
    if (!NAMES_SECRETS.has(name)) return findByNames({ [name]: value }, ['config'])
    return findByNames(value, path, isLiteralPair)
  })
}

/** True if the value is a credential of this name. */
type Judge = (name: string, value: Json | undefined) => boolean

/** False for the name of a secret. */
function isLiteralPair(name: string, value: Json | undefined): boolean {
  return isSecretPair(name, value) && !SECRET_REFERENCE.test(String(value))
}

/** Finds credentials by the names of members, and in addresses. */
function findByNames(
  value: Json | undefined,
  path: Path,
  isSecret: Judge = isSecretPair,
): readonly FieldError[] {
  if (typeof value === 'string') return findInText(value, path)
  if (Array.isArray(value)) {
    return value.flatMap((item: Json, index) => findByNames(item, [...path, index], isSecret))
  }
  if (!isJsonObject(value)) return []
  const named = value['name'] ?? value['key']
  const isPair = typeof named === 'string' && isSecret(named, value['value'])
  const own = isPair ? [toError([...path, 'value'])] : []
  return [
    ...own,
    ...Object.entries(value).flatMap(([name, item]) => {
      const at = [...path, name]
      const values: readonly Json[] = Array.isArray(item) ? item : [item]
      const isFound = values.some((one) => isSecret(name, one))
      return isFound ? [toError(at)] : findByNames(item, at, isSecret)
    }),
  ]
}

function findInText(text: string, path: Path): readonly FieldError[] {
  const sent = SENT_SCHEME.exec(text)?.[1]
  const isSent = sent !== undefined && RANDOM.test(sent) && !PLACEHOLDER.test(sent)
  return isSent || hasSecretUrl(text) ? [toError(path)] : []
}

function findInUrls(value: Json | undefined, path: Path): readonly FieldError[] {
  if (typeof value === 'string') return hasSecretUrl(value) ? [toError(path)] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, item]) => findInUrls(item, [...path, name]))
}

/** True for an address with a password, or with a credential in its query. */
function hasSecretUrl(text: string): boolean {
  const [, password = ''] = /^https?:\/\/[^:/?#@\s]*:([^/?#@\s]+)@/i.exec(text) ?? []
  if (password !== '' && !PLACEHOLDER.test(password)) return true
  return /^https?:/i.test(text) && hasSecretPair(text.split('?').slice(1).join('?'))
}

function hasPairInText(text: string): boolean {
  if (hasSecretPair(text)) return true
  for (const [, name = '', value, element = '', inner] of text.matchAll(TEXT_PAIR)) {
    if (isSecretPair(name || element, value ?? inner)) return true
  }
  return false
}

function hasSecretPair(query: string): boolean {
  return query.split('&').some((pair) => {
    const [name = '', ...value] = pair.split('=')
    return isSecretPair(decodePercent(name), decodePercent(value.join('=')))
  })
}

function decodePercent(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
}

/** Keywords whose value is what a call sends if a model does not choose another. */
const FIXED_KEYWORDS: readonly string[] = ['const', 'default']

/**
 * Finds credentials that a property has as its default or only value, at any depth. Examples are
 * judged by their form alone, since documents of APIs make them up.
 */
function findInSchemas(value: Json | undefined, path: Path): readonly FieldError[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, item]) => {
    const at = [...path, name]
    const isKeyword = path.at(-1) !== 'properties'
    if (isKeyword && FIXED_KEYWORDS.includes(name)) return findByNames(item, at)
    if (isKeyword || !isJsonObject(item)) return findInSchemas(item, at)
    return [...findInProperty(name, item, at), ...findInSchemas(item, at)]
  })
}

function findInProperty(name: string, schema: JsonObject, path: Path): readonly FieldError[] {
  const choices: Json = schema['enum'] ?? []
  const only = Array.isArray(choices) && choices.length === 1 ? { enum: choices[0] ?? '' } : {}
  const fixed = { const: schema['const'], default: schema['default'], ...only }
  return Object.entries(fixed).flatMap(([keyword, value]: [string, Json | undefined]) =>
    isSecretPair(name, value) ? [toError([...path, keyword])] : [],
  )
}

function isSecretPair(name: string, value: Json | undefined): boolean {
  if (typeof value === 'number')
    return isSecretName(name) && String(value).length >= SECRET_CHARS_MIN
  if (typeof value !== 'string') return false
  const text = value.replace(SCHEME, '')
  // Random characters beside a place are a credential, too.
  const rest = text.replace(PLACES, '')
  if (rest !== text) return RANDOM.test(rest.replace(/^[\w-]+\s+/, '')) && isNamed(name)
  const other = /^[\w-]+\s+(\S+)$/.exec(text)?.[1] ?? ''
  if (RANDOM.test(other) && !PLACEHOLDER.test(other)) return isSecretName(name)
  if (text.length < SECRET_CHARS_MIN || PLACEHOLDER.test(text)) return false
  return isSecretName(name) || (isNamed(name) && RANDOM.test(text))
}

function isNamed(name: string): boolean {
  return isSecretName(name) || POSSIBLE_NAME.test(toPlainName(name))
}

/** True for a header, a pair or a member that carries a credential, whatever its value is. */
export function isSecretName(name: string): boolean {
  return CERTAIN_NAME.test(toPlainName(name))
}

/** True if the value is a credential, by the name that it is sent under or by its form. */
export function isSecretValue(name: string, value: string): boolean {
  return isSecretPair(name, value) || FORMS.test(value)
}

function toPlainName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '')
}

/** Forms that only credentials have. Parts of a longer word do not count. */
const FORMS = new RegExp(
  `(?<![\\w-])(?:${[
    '[sr]k_(?:live|test)_[A-Za-z0-9]{16,}',
    'gh[pousr]_[A-Za-z0-9]{36}',
    'github_pat_[A-Za-z0-9_]{22,}',
    'glpat-[\\w-]{20,}',
    'xox[abeoprs]-[\\w-]{10,}',
    'xapp-[\\w-]{10,}',
    '(?:AKIA|ASIA)[A-Z0-9]{16}',
    'AIza[\\w-]{35}',
    'sk-(?:proj-|ant-|or-)?[\\w-]{32,}',
    'SG\\.[\\w-]{22}\\.[\\w-]{43}',
    'npm_[A-Za-z0-9]{36}',
    'hf_[A-Za-z0-9]{34}',
    'shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}',
    'eyJ[\\w-]{10,}\\.eyJ[\\w-]{10,}\\.[\\w-]{10,}',
    'sgk_[\\w-]{32,}',
  ].join('|')})(?![\\w-])|-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----`,
)

function findByForms(value: Json, path: Path): readonly FieldError[] {
  if (typeof value === 'string') {
    const found = FORMS.exec(value)?.[0]
    const isExample = found === undefined || /example|x{8}|0{8}/i.test(found)
    return isExample ? [] : [toError(path)]
  }
  if (Array.isArray(value)) {
    return value.flatMap((item: Json, index) => findByForms(item, [...path, index]))
  }
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([name, item]) => findByForms(item, [...path, name]))
}

const ALLOW = 'if everybody may read it, send ?clear_secrets=allow'
const HIDE = `has a credential in the clear; set it as a secret and write {{secrets.NAME}} here, or use config.auth; ${ALLOW}`
const MOVE = `has a credential in the clear; set it as a secret and name it in config.auth, config.headers or config.query; ${ALLOW}`

function toError(path: Path): FieldError {
  const hasPlaces = path[0] === 'config' && path[1] !== 'endpoint'
  return { pointer: toJsonPointer(path), message: hasPlaces ? HIDE : MOVE }
}

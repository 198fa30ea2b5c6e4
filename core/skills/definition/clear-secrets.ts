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
  const config = readMember(definition, 'config')
  const parameters = readMember(readMember(definition, 'meta'), 'parameters')
  const found = [
    ...findInPairs(config['headers'], ['config', 'headers']),
    ...findInPairs(config['query'], ['config', 'query']),
    ...findInQuery(config['endpoint']),
    ...findByNames(config['body'], ['config', 'body']),
    ...findByNames(readMember(config, 'lambda')['payload'], ['config', 'lambda', 'payload']),
    ...findInDefaults(parameters['properties']),
    ...Object.entries(definition)
      .filter(([name]) => name !== 'import')
      .flatMap(([name, value]) => findByForms(value, [name])),
  ]
  return [...new Map(found.toReversed().map((one) => [one.pointer, one])).values()].toReversed()
}

/** Names that are sent with a credential, without case and punctuation. */
const CERTAIN_NAME =
  /^(?:proxy)?authorization$|(?:api|access|auth|application|app|functions|private|secret|subscription)key$|(?:access|api|auth|bearer|figma|private|refresh|session|subscription|vault)token$|(?:api|app|client)secret$|passw(?:or)?d$/
/** Names that often have another meaning: their values must look random, too. */
const POSSIBLE_NAME = /^(?:appid|auth|credential|key|pass|pwd|secret|sid|sig|signature|token)$/

/** Fewest characters of a credential under a certain name. */
const SECRET_CHARS_MIN = 6
const RANDOM = /^(?=.*\d)(?=.*[a-z])[\w+/=.~-]{16,}$/i
const SCHEME = /^(?:basic|bearer|token|apikey|digest)\s+/i
/** Words that a person writes where a credential will be, and keys that are public. */
const PLACEHOLDER =
  /[{}<>$*…\s]|^(?:your|my|an?|the|some|example|sample|demo|dummy|test|fake|placeholder|change|replace|insert|public|guest|anonymous|none|null|undefined|true|false|x{3,}|https?:)/i

function findInPairs(value: Json | undefined, path: Path): readonly FieldError[] {
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([name, text]) =>
    isSecretPair(name, text) ? [toError([...path, name], HIDE)] : [],
  )
}

/** A credential in the query of the endpoint. */
function findInQuery(endpoint: Json | undefined): readonly FieldError[] {
  if (typeof endpoint !== 'string') return []
  const query = endpoint.split('?').slice(1).join('?')
  return hasSecretPair(query) ? [toError(['config', 'endpoint'], MOVE)] : []
}

function hasSecretPair(query: string): boolean {
  return query.split('&').some((pair) => {
    const [name = '', ...value] = pair.split('=')
    return isSecretPair(name, value.join('='))
  })
}

function findByNames(value: Json | undefined, path: Path): readonly FieldError[] {
  if (typeof value === 'string') return hasSecretPair(value) ? [toError(path, HIDE)] : []
  if (Array.isArray(value)) {
    return value.flatMap((item: Json, index) =>
      typeof item === 'string' ? [] : findByNames(item, [...path, index]),
    )
  }
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([name, item]) => {
    if (typeof item !== 'string') return findByNames(item, [...path, name])
    return isSecretPair(name, item) ? [toError([...path, name], HIDE)] : []
  })
}

/** A default of a parameter is shown to every model. */
function findInDefaults(properties: Json | undefined): readonly FieldError[] {
  if (!isJsonObject(properties)) return []
  return Object.entries(properties).flatMap(([name, schema]) =>
    ['default', 'const'].flatMap((keyword) =>
      isJsonObject(schema) && isSecretPair(name, schema[keyword])
        ? [toError(['meta', 'parameters', 'properties', name, keyword], MOVE)]
        : [],
    ),
  )
}

function isSecretPair(name: string, value: Json | undefined): boolean {
  if (typeof value !== 'string') return false
  const text = value.replace(SCHEME, '')
  if (text.length < SECRET_CHARS_MIN || PLACEHOLDER.test(text)) return false
  return isSecretName(name) || (POSSIBLE_NAME.test(toPlainName(name)) && RANDOM.test(text))
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
    return isExample ? [] : [toError(path, path[0] === 'config' ? HIDE : MOVE)]
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

function toError(path: Path, message: string): FieldError {
  return { pointer: toJsonPointer(path), message }
}

function readMember(value: JsonObject, name: string): JsonObject {
  const member = value[name]
  return isJsonObject(member) ? member : {}
}

/**
 * Makes a skill of a pasted request. Query, body and placeholders of the path become parameters;
 * credentials become names of secrets, so that the file has none.
 */
import type { JsonObject } from '../../../core/json/json.ts'
import { toUsageFault } from '../../terminal/exit-code.ts'
import { groupPairs, makeBody, toPairSchema } from './curl-body.ts'
import type { CurlRequest } from './read-curl.ts'
import { labelHost, type NeededSecret, SecretNames } from './secret-names.ts'
import { SkillParameters } from './skill-parameters.ts'

export type DraftSkill = {
  /** Proposals, which the author may change. */
  readonly id: string
  readonly name: string
  readonly parameters: JsonObject
  readonly config: JsonObject
  readonly secrets: readonly NeededSecret[]
  /** What the request has and the skill does not send. */
  readonly dropped: readonly string[]
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Throws a usage fault for what no skill can send. */
export function makeSkill(request: CurlRequest): DraftSkill {
  if (!METHODS.includes(request.method)) {
    throw toUsageFault(`A skill cannot send ${request.method}.`, `It sends ${METHODS.join(', ')}.`)
  }
  const url = parseUrl(request.url)
  const parameters = new SkillParameters()
  const secrets = new SecretNames(url.href)
  const path = makePath(parameters, decodeBraces(url.pathname))
  const body = makeBody({ request, contentType: findContentType(request), parameters, secrets })
  const query = makeQuery(url, request, { parameters, secrets })
  const { dropped, headers } = makeHeaders(request, secrets)
  const auth = makeAuth(request, url, secrets)
  const { headers: bodyHeaders, ...bodyFields } = body
  const allHeaders = { ...headers, ...Object(bodyHeaders), ...auth.headers }
  return {
    ...proposeNames(request.method, url, path),
    parameters: parameters.schema,
    config: {
      endpoint: `${url.protocol}//${url.host}${path}`,
      method: request.method,
      ...auth.config,
      ...(Object.keys(allHeaders).length === 0 ? {} : { headers: allHeaders }),
      ...(Object.keys(query).length === 0 ? {} : { query }),
      ...bodyFields,
      ...parameters.places,
    },
    secrets: secrets.needed,
    dropped,
  }
}

function parseUrl(text: string): URL {
  // A variable in the host would be an argument in the host, which no skill may have.
  const url = URL.parse(text.replaceAll(/\$\{?([A-Za-z_]\w*)\}?/g, '{$1}'))
  if (url !== null && /^https?:$/.test(url.protocol) && !/[{}]|%7b/i.test(url.host)) return url
  throw toUsageFault(`${text} is not a URL with a host.`, 'Write it as https://host/path.')
}

function decodeBraces(text: string): string {
  return text
    .replaceAll(/%7B/gi, '{')
    .replaceAll(/%7D/gi, '}')
    .replaceAll(/%3C/gi, '<')
    .replaceAll(/%3E/gi, '>')
}

/** Placeholders of documentation: `{id}`, `:id`, `<id>` and OWNER become parameters. */
function makePath(parameters: SkillParameters, path: string): string {
  const add = (name: string) => `{${parameters.add(name.toLowerCase(), { type: 'string' })}}`
  return path
    .split('/')
    .map((part) => {
      if (part.includes('{'))
        return part.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => add(name))
      const [, name] =
        /^(?::(\w+)|<([\w -]+)>|([A-Z][A-Z_]{3,}))$/.exec(part)?.filter(Boolean) ?? []
      return name === undefined ? part : add(name)
    })
    .join('/')
}

type Draft = { readonly parameters: SkillParameters; readonly secrets: SecretNames }

/** Adds the parameters of the query, and returns its fixed pairs: those with secrets. */
function makeQuery(url: URL, { method }: CurlRequest, { parameters, secrets }: Draft): JsonObject {
  const isDefaultPlace = ['GET', 'HEAD', 'DELETE'].includes(method)
  return Object.fromEntries(
    groupPairs([...url.searchParams]).flatMap(({ name, values }) => {
      const said = values.map(restoreVariable)
      const hidden = secrets.hide(name, said[0] ?? '', `${name} of the query`)
      if (hidden !== undefined) return [[name, hidden]]
      const added = parameters.add(name, toPairSchema(said))
      const isPlaced = isDefaultPlace && added === name && said.length === 1
      if (!isPlaced) parameters.place(added, { in: 'query', name })
      return []
    }),
  )
}

/** A variable of the shell, which parseUrl wrote as a place. */
function restoreVariable(value: string): string {
  return value.replace(/^\{(\w+)\}$/, '$$$1')
}

/** Headers that belong to a connection, to a browser, or to another field of the skill. */
const DROPPED =
  /^(?:host|content-length|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|accept-encoding|sec-.*|dnt|priority|pragma|cache-control|upgrade-insecure-requests|x-amz-.*)$/i

function makeHeaders(request: CurlRequest, secrets: SecretNames) {
  const headers: [string, string][] = []
  const dropped: string[] = []
  for (const [name, value] of request.headers) {
    if (/^(?:content-type|authorization)$/i.test(name)) continue
    if (DROPPED.test(name) || !/^[\x20-\x7e]+$/.test(value)) dropped.push(name)
    else {
      const isVariable = /\$\{?[A-Za-z_]/.test(value)
      const what = `the header ${name}`
      const hidden = isVariable
        ? `{{secrets.${secrets.add(value, name.replace(/^x-/i, ''), what)}}}`
        : secrets.hide(name, value, what)
      headers.push([name, hidden ?? value])
    }
  }
  return { headers: Object.fromEntries(headers), dropped }
}

function findContentType({ headers }: CurlRequest): string {
  return headers.find(([name]) => /^content-type$/i.test(name))?.[1] ?? ''
}

type Auth = { readonly config: JsonObject; readonly headers: JsonObject }

/** The first credential is `config.auth`; another one stays a header. */
function makeAuth(request: CurlRequest, url: URL, secrets: SecretNames): Auth {
  const header = request.headers.find(([name]) => /^authorization$/i.test(name))?.[1] ?? ''
  if (header.startsWith('AWS4-HMAC')) {
    throw toUsageFault('The request is signed for AWS.', 'Write config.auth of type sigv4 instead.')
  }
  const [, scheme = '', value = ''] = /^(?:(\S+)\s+)?(.*)$/s.exec(header) ?? []
  const isScheme = (wanted: string) => scheme.toLowerCase() === wanted
  const bearer = request.bearer ?? (isScheme('bearer') ? value : undefined)
  if (bearer !== undefined)
    return toAuth('bearer', secrets.add(bearer, 'TOKEN', 'the bearer token'))
  const user = request.user ?? readUser(url) ?? (isScheme('basic') ? value : undefined)
  if (user !== undefined) return toAuth('basic', secrets.add(user, 'LOGIN', 'user:password'))
  if (value === '') return makeCookie(request, secrets)
  const name = secrets.add(value, 'TOKEN', 'the header Authorization')
  return { config: {}, headers: { Authorization: `${scheme} {{secrets.${name}}}`.trim() } }
}

function readUser({ password, username }: URL): string | undefined {
  return username === '' ? undefined : decodeURIComponent(`${username}:${password}`)
}

function makeCookie({ cookies = '' }: CurlRequest, secrets: SecretNames): Auth {
  const [, name, rest = ''] = /^\s*([^=;]+)=(.*)$/s.exec(cookies) ?? []
  if (name === undefined) return { config: {}, headers: {} }
  const secret = secrets.add(rest, 'COOKIE', `what follows ${name}= in the header Cookie`)
  return { config: { auth: { type: 'cookie', name, secret } }, headers: {} }
}

function toAuth(type: 'basic' | 'bearer', secret: string): Auth {
  return { config: { auth: { type, secret } }, headers: {} }
}

/** `POST https://api.stripe.com/v1/charges` → `stripe_post_charges`. */
function proposeNames(method: string, url: URL, path: string): { id: string; name: string } {
  const label = labelHost(url.href)
  const words = path
    .split('/')
    .filter((part) => part !== '' && !part.includes('{') && !/^v?\d+(?:\.\d+)*$/.test(part))
    .map((part) => part.replace(/\.\w+$/, ''))
    .slice(-PATH_WORDS)
  const verb = method === 'GET' ? [] : [method.toLowerCase()]
  const all = [label, ...verb, ...words]
    .join(' ')
    .replace(/[^A-Za-z0-9]+/g, ' ')
    .trim()
  const id = all.toLowerCase().replaceAll(' ', '_').slice(0, ID_CHARS_MAX)
  return { id, name: `${all.slice(0, 1).toUpperCase()}${all.slice(1)}` }
}

/** Words of the path in a proposed name. */
const PATH_WORDS = 2
/** Leaves room for the prefix. */
const ID_CHARS_MAX = 50

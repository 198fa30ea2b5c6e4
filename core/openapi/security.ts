/**
 * The security of an operation as secrets and hooks of a skill: the first alternative that a skill can
 * satisfy. OpenAPI 3.1, Security Requirement Object: the list is OR, members of one are AND, and `{}`
 * asks for nothing.
 */
import { err, ok, type Result } from '../errors.ts'
import { isJsonObject, type JsonObject } from '../json/json.ts'
import { listOf, objectOf, textOf, textsOf } from './fields.ts'
import type { Operation } from './operation.ts'
import { resolved } from './references.ts'

export type ToolSecurity = {
  /** Members of the skill's config. */
  readonly config: JsonObject
  readonly headers: { readonly [name: string]: string }
  readonly query: { readonly [name: string]: string }
  readonly secrets: readonly ToolSecret[]
}

/** A secret that users (or the administrator) set before the tool works. */
export type ToolSecret = { readonly name: string; readonly what: string }

const NONE: ToolSecurity = { config: {}, headers: {}, query: {}, secrets: [] }

export function securityOf(
  document: JsonObject,
  operation: Operation,
  from: { readonly api: string; readonly baseUrl: string },
): Result<ToolSecurity, string> {
  const requirements = operation.raw['security'] ?? document['security']
  const alternatives = listOf(requirements).filter(isJsonObject)
  if (alternatives.length === 0) return ok(NONE)
  const reasons: string[] = []
  for (const alternative of alternatives) {
    const satisfiedWith = satisfied(document, alternative, from)
    if (satisfiedWith.ok) return satisfiedWith
    reasons.push(satisfiedWith.error)
  }
  return err(`No skill can satisfy its security: ${[...new Set(reasons)].join('; ')}.`)
}

function satisfied(
  document: JsonObject,
  alternative: JsonObject,
  from: { readonly api: string; readonly baseUrl: string },
): Result<ToolSecurity, string> {
  const schemes = objectOf(objectOf(document['components'])['securitySchemes'])
  let all = NONE
  for (const [name, scopes] of Object.entries(alternative)) {
    const scheme = resolved(document, Object.hasOwn(schemes, name) ? schemes[name] : undefined)
    if (scheme === undefined) return err(`the scheme ${name} is not defined`)
    const one = schemeOf(scheme, { ...from, name, scopes: textsOf(scopes) })
    if (!one.ok) return one
    const joined = both(all, one.value)
    if (joined === undefined) return err(`the scheme ${name} takes a place that another one has`)
    all = joined
  }
  return ok(all)
}

type SchemeName = {
  readonly api: string
  readonly baseUrl: string
  readonly name: string
  readonly scopes: readonly string[]
}

function schemeOf(scheme: JsonObject, named: SchemeName): Result<ToolSecurity, string> {
  const secret = secretName(named)
  switch (scheme['type']) {
    case 'apiKey':
      return apiKeyOf(scheme, named, secret)
    case 'http':
      return httpOf(scheme, named, secret)
    case 'oauth2':
      return oauthOf(scheme, named)
    case 'openIdConnect':
      return ok(tokenOf(secretName({ ...named, name: `${named.name}_TOKEN` }), named.name))
    default:
      return err(`${named.name} is ${String(scheme['type'])}`)
  }
}

function apiKeyOf(scheme: JsonObject, { name }: SchemeName, secret: string) {
  const key = textOf(scheme['name'])
  const secrets = [{ name: secret, what: `API key of ${name}` }]
  if (key === undefined) return err(`the API key ${name} has no name`)
  const place = `{{secrets.${secret}}}`
  switch (scheme['in']) {
    case 'header':
      return ok({ ...NONE, headers: { [key.toLowerCase()]: place }, secrets })
    case 'query':
      return ok({ ...NONE, query: { [key]: place }, secrets })
    case 'cookie':
      return ok({ ...NONE, config: { auth: { type: 'cookie', name: key, secret } }, secrets })
    default:
      return err(`the API key ${name} has no place`)
  }
}

function httpOf(scheme: JsonObject, { name }: SchemeName, secret: string) {
  const kind = String(scheme['scheme']).toLowerCase()
  if (kind !== 'basic' && kind !== 'bearer') return err(`${name} is http ${kind}`)
  const secretContent = kind === 'basic' ? `user:password of ${name}` : `bearer token of ${name}`
  return ok({
    ...NONE,
    config: { auth: { type: kind, secret } },
    secrets: [{ name: secret, what: secretContent }],
  })
}

/** Client credentials are fetched by a hook; tokens of other flows belong to one user each. */
function oauthOf(scheme: JsonObject, named: SchemeName): Result<ToolSecurity, string> {
  const flow = objectOf(objectOf(scheme['flows'])['clientCredentials'])
  const tokenUrl = textOf(flow['tokenUrl'])
  const { baseUrl, name, scopes } = named
  if (tokenUrl === undefined) {
    return ok(tokenOf(secretName({ ...named, name: `${name}_TOKEN` }), name))
  }
  const idSecret = secretName({ ...named, name: `${name}_CLIENT_ID` })
  const keySecret = secretName({ ...named, name: `${name}_CLIENT_SECRET` })
  const options = {
    token_url: /^https?:/i.test(tokenUrl) ? tokenUrl : `${originOf(baseUrl)}${tokenUrl}`,
    client_id_secret: idSecret,
    client_secret_secret: keySecret,
    ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
  }
  return ok({
    ...NONE,
    config: { plugin_hook: 'oauth2_client_credentials', plugin_options: options },
    secrets: [
      { name: idSecret, what: `client id of ${name}` },
      { name: keySecret, what: `client secret of ${name}` },
    ],
  })
}

function tokenOf(secret: string, name: string): ToolSecurity {
  return {
    ...NONE,
    config: { auth: { type: 'bearer', secret } },
    secrets: [{ name: secret, what: `access token of ${name}; each user needs one of their own` }],
  }
}

function originOf(url: string): string {
  return /^https?:\/\/[^/?#]+/i.exec(url)?.[0] ?? ''
}

/** `{API}_{SCHEME}` as a name of a secret: 1 to 64 characters of A-Z 0-9 _, a letter first. */
function secretName({ api, name }: Pick<SchemeName, 'api' | 'name'>): string {
  const plain = `${api}_${name}`
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
  return (/^[A-Z]/.test(plain) ? plain : `API_${plain}`).slice(0, SECRET_NAME_CHARS_MAX)
}

const SECRET_NAME_CHARS_MAX = 64

/** Undefined when the two take the same place. */
function both(a: ToolSecurity, b: ToolSecurity): ToolSecurity | undefined {
  const clash = (one: object, other: object) =>
    Object.keys(one).some((key) => Object.hasOwn(other, key))
  // One request has one Authorization header, so one token stands for both schemes.
  if (isBearer(a) && isBearer(b)) return { ...a, ...both(a, { ...b, config: {}, secrets: [] }) }
  if (clash(a.config, b.config) || clash(a.headers, b.headers) || clash(a.query, b.query)) {
    return undefined
  }
  return {
    config: { ...a.config, ...b.config },
    headers: { ...a.headers, ...b.headers },
    query: { ...a.query, ...b.query },
    secrets: [...a.secrets, ...b.secrets],
  }
}

function isBearer({ config }: ToolSecurity): boolean {
  return objectOf(config['auth'])['type'] === 'bearer'
}

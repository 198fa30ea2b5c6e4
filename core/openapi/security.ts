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
import { leftOut, listed, type Remarks } from './remarks.ts'
import type { Credential, NamedSecret, SecretNames } from './secret-names.ts'

export type ToolSecurity = {
  /** Members of the skill's config. */
  readonly config: JsonObject
  readonly headers: { readonly [name: string]: string }
  readonly query: { readonly [name: string]: string }
  readonly secrets: readonly ToolSecret[]
}

/** A secret that users (or the administrator) set before the tool works. */
export type ToolSecret = NamedSecret & { readonly what: string }

const NONE: ToolSecurity = { config: {}, headers: {}, query: {}, secrets: [] }

export type SecurityTerms = {
  readonly baseUrl: string
  /** Of the service whose credentials the schemes are. */
  readonly host: string
  readonly secretNames: SecretNames
  /** Why a skill cannot have such members of its config; undefined: it can. */
  readonly judge: (config: JsonObject) => string | undefined
  readonly remarks: Remarks
}

export function securityOf(
  document: JsonObject,
  operation: Operation,
  terms: SecurityTerms,
): Result<ToolSecurity, string> {
  const requirements = operation.raw['security'] ?? document['security']
  const alternatives = listOf(requirements).filter(isJsonObject)
  if (alternatives.length === 0) return ok(NONE)
  const reasons: string[] = []
  for (const alternative of alternatives) {
    const found = satisfied(document, alternative, terms)
    if (found.ok) {
      const others = alternatives.filter((one) => one !== alternative).map(schemesIn)
      noteOthers(terms.remarks, schemesIn(alternative), others, reasons)
      return found
    }
    reasons.push(found.error)
  }
  return err(`No skill can satisfy its security: ${[...new Set(reasons)].join('; ')}.`)
}

function schemesIn(alternative: JsonObject): string {
  return Object.keys(alternative).join(' and ') || 'no credential'
}

function noteOthers(
  { notes }: Remarks,
  one: string,
  others: readonly string[],
  reasons: readonly string[],
): void {
  if (others.length === 0) return
  const why = reasons.length === 0 ? '' : ` (${[...new Set(reasons)].join('; ')})`
  notes.push(`Of its security ${one} is used; left out: ${listed(others)}${why}.`)
}

function satisfied(
  document: JsonObject,
  alternative: JsonObject,
  terms: SecurityTerms,
): Result<ToolSecurity, string> {
  const schemes = objectOf(objectOf(document['components'])['securitySchemes'])
  const notes: string[] = []
  let all = NONE
  for (const [name, scopes] of Object.entries(alternative)) {
    const scheme = resolved(document, Object.hasOwn(schemes, name) ? schemes[name] : undefined)
    if (scheme === undefined) return err(`the scheme ${name} is not defined`)
    const one = schemeOf(scheme, { ...terms, name, scopes: textsOf(scopes) })
    if (!one.ok) return one
    if (isBearer(all) && isBearer(one.value)) {
      notes.push(
        leftOut(`The token of ${name}`, 'a request has one token, that of the scheme before'),
      )
    }
    const joined = both(all, one.value)
    if (joined === undefined) return err(`the scheme ${name} takes a place that another one has`)
    all = joined
  }
  const fault = terms.judge(membersOf(all))
  if (fault !== undefined) return err(`${schemesIn(alternative)}: ${fault}`)
  terms.remarks.notes.push(...notes)
  return ok(all)
}

/** As members of a skill's config. */
export function membersOf({ config, headers, query }: ToolSecurity): JsonObject {
  return { ...config, headers, query }
}

type NamedScheme = SecurityTerms & { readonly name: string; readonly scopes: readonly string[] }

/** The secret of a part of a scheme. */
function secretFor({ host, name, secretNames }: NamedScheme, role?: Credential['role']) {
  const part = role === undefined ? {} : { role }
  return secretNames.nameOf({ kind: 'scheme', scheme: name, host, ...part })
}

function schemeOf(scheme: JsonObject, named: NamedScheme): Result<ToolSecurity, string> {
  switch (scheme['type']) {
    case 'apiKey':
      return apiKeyOf(scheme, named)
    case 'http':
      return httpOf(scheme, named)
    case 'oauth2':
      return oauthOf(scheme, named)
    case 'openIdConnect':
      return ok(tokenOf(named))
    default:
      return err(`${named.name} is ${String(scheme['type'])}`)
  }
}

function apiKeyOf(scheme: JsonObject, named: NamedScheme): Result<ToolSecurity, string> {
  const { name } = named
  const key = textOf(scheme['name'])
  if (key === undefined) return err(`the API key ${name} has no name`)
  const secret = secretFor(named)
  const secrets = [{ ...secret, what: `API key of ${name}` }]
  const place = `{{secrets.${secret.name}}}`
  switch (scheme['in']) {
    case 'header':
      return ok({ ...NONE, headers: { [key.toLowerCase()]: place }, secrets })
    case 'query':
      return ok({ ...NONE, query: { [key]: place }, secrets })
    case 'cookie':
      return ok({
        ...NONE,
        config: { auth: { type: 'cookie', name: key, secret: secret.name } },
        secrets,
      })
    default:
      return err(`the API key ${name} has no place`)
  }
}

function httpOf(scheme: JsonObject, named: NamedScheme): Result<ToolSecurity, string> {
  const { name } = named
  const kind = String(scheme['scheme']).toLowerCase()
  if (kind !== 'basic' && kind !== 'bearer') return err(`${name} is http ${kind}`)
  const what = kind === 'basic' ? `user:password of ${name}` : `bearer token of ${name}`
  const secret = secretFor(named)
  return ok({
    ...NONE,
    config: { auth: { type: kind, secret: secret.name } },
    secrets: [{ ...secret, what }],
  })
}

/** Client credentials are fetched by a hook; tokens of other flows belong to one user each. */
function oauthOf(scheme: JsonObject, named: NamedScheme): Result<ToolSecurity, string> {
  const flow = objectOf(objectOf(scheme['flows'])['clientCredentials'])
  const tokenUrl = textOf(flow['tokenUrl'])
  const { baseUrl, name, scopes } = named
  if (tokenUrl === undefined) return ok(tokenOf(named))
  const id = secretFor(named, 'CLIENT_ID')
  const key = secretFor(named, 'CLIENT_SECRET')
  const options = {
    token_url: /^https?:/i.test(tokenUrl) ? tokenUrl : `${originOf(baseUrl)}${tokenUrl}`,
    client_id_secret: id.name,
    client_secret_secret: key.name,
    ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
  }
  return ok({
    ...NONE,
    config: { plugin_hook: 'oauth2_client_credentials', plugin_options: options },
    secrets: [
      { ...id, what: `client id of ${name}` },
      { ...key, what: `client secret of ${name}` },
    ],
  })
}

function tokenOf(named: NamedScheme): ToolSecurity {
  const { name, scopes } = named
  const secret = secretFor(named, 'TOKEN')
  const what = `access token of ${name}; each user needs one of their own`
  const reach = scopes.length === 0 ? '' : `, for ${listed(scopes)}`
  return {
    ...NONE,
    config: { auth: { type: 'bearer', secret: secret.name } },
    secrets: [{ ...secret, what: `${what}${reach}` }],
  }
}

function originOf(url: string): string {
  return /^https?:\/\/[^/?#]+/i.exec(url)?.[0] ?? ''
}

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

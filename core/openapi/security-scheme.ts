/** One security scheme as a secret, or a hook, of a skill. OpenAPI 3.1, Security Scheme Object. */
import { err, ok, type Result } from '../errors.ts'
import type { JsonObject } from '../json/json.ts'
import { objectOf, textOf } from './fields.ts'
import { listed, type Remarks } from './remarks.ts'
import type { Credential, NamedSecret, SecretNames } from './secret-names.ts'

/** A secret that users (or the administrator) set before the tool works. */
export type ToolSecret = NamedSecret & { readonly what: string }

export type ToolSecurity = {
  /** Members of the skill's config. */
  readonly config: JsonObject
  readonly headers: { readonly [name: string]: string }
  readonly query: { readonly [name: string]: string }
  readonly secrets: readonly ToolSecret[]
}

export const NONE: ToolSecurity = { config: {}, headers: {}, query: {}, secrets: [] }

export type SecurityTerms = {
  readonly baseUrl: string
  /** Of the service whose credentials the schemes are. */
  readonly host: string
  readonly secretNames: SecretNames
  /** Why a skill cannot have such members of its config; undefined: it can. */
  readonly judge: (config: JsonObject) => string | undefined
  readonly remarks: Remarks
}

export type NamedScheme = SecurityTerms & {
  readonly name: string
  readonly scopes: readonly string[]
}

export function schemeOf(scheme: JsonObject, named: NamedScheme): Result<ToolSecurity, string> {
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

/** The secret of a part of a scheme. */
function secretFor({ host, name, secretNames }: NamedScheme, role?: Credential['role']) {
  const part = role === undefined ? {} : { role }
  return secretNames.nameOf({ kind: 'scheme', scheme: name, host, ...part })
}

function originOf(url: string): string {
  return /^https?:\/\/[^/?#]+/i.exec(url)?.[0] ?? ''
}

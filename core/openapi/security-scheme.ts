/** Makes a skill's secret or hook of one security scheme. OpenAPI 3.1, Security Scheme Object. */
import { err, ok, type Result } from '../errors.ts'
import type { JsonObject } from '../json/json.ts'
import { asObject, asText } from './fields.ts'
import { joinNames, type Remarks } from './remarks.ts'
import type { Credential, NamedSecret, SecretNames } from './secret-names.ts'

/** A secret that users or the administrator must set before the tool works. */
export type ToolSecret = NamedSecret & { readonly what: string }

export type ToolSecurity = {
  /** Members of the skill's config. */
  readonly config: JsonObject
  readonly headers: { readonly [name: string]: string }
  readonly query: { readonly [name: string]: string }
  readonly secrets: readonly ToolSecret[]
}

export const NO_SECURITY: ToolSecurity = { config: {}, headers: {}, query: {}, secrets: [] }

export type SecurityTerms = {
  readonly baseUrl: string
  /** The host of the service that receives the credentials. */
  readonly host: string
  readonly secretNames: SecretNames
  /** Explains why a skill cannot have these members of its config; undefined if it can. */
  readonly judge: (config: JsonObject) => string | undefined
  readonly remarks: Remarks
}

export type NamedScheme = SecurityTerms & {
  readonly name: string
  readonly scopes: readonly string[]
}

/** Converts one scheme. An error says why no skill can satisfy it. */
export function convertScheme(
  scheme: JsonObject,
  named: NamedScheme,
): Result<ToolSecurity, string> {
  switch (scheme['type']) {
    case 'apiKey':
      return convertApiKey(scheme, named)
    case 'http':
      return convertHttp(scheme, named)
    case 'oauth2':
      return convertOauth(scheme, named)
    case 'openIdConnect':
      return ok(makeToken(named))
    default:
      return err(`${named.name} is ${String(scheme['type'])}`)
  }
}

function convertApiKey(scheme: JsonObject, named: NamedScheme): Result<ToolSecurity, string> {
  const { name } = named
  const key = asText(scheme['name'])
  if (key === undefined) return err(`the API key ${name} has no name`)
  const secret = nameSecret(named)
  const secrets = [{ ...secret, what: `API key of ${name}` }]
  const place = `{{secrets.${secret.name}}}`
  switch (scheme['in']) {
    case 'header':
      return ok({ ...NO_SECURITY, headers: { [key.toLowerCase()]: place }, secrets })
    case 'query':
      return ok({ ...NO_SECURITY, query: { [key]: place }, secrets })
    case 'cookie':
      return ok({
        ...NO_SECURITY,
        config: { auth: { type: 'cookie', name: key, secret: secret.name } },
        secrets,
      })
    default:
      return err(`the API key ${name} has no place`)
  }
}

function convertHttp(scheme: JsonObject, named: NamedScheme): Result<ToolSecurity, string> {
  const { name } = named
  const kind = String(scheme['scheme']).toLowerCase()
  if (kind !== 'basic' && kind !== 'bearer') return err(`${name} is http ${kind}`)
  const what = kind === 'basic' ? `user:password of ${name}` : `bearer token of ${name}`
  const secret = nameSecret(named)
  return ok({
    ...NO_SECURITY,
    config: { auth: { type: kind, secret: secret.name } },
    secrets: [{ ...secret, what }],
  })
}

/** A hook uses client credentials to get a token; tokens of other flows belong to one user each. */
function convertOauth(scheme: JsonObject, named: NamedScheme): Result<ToolSecurity, string> {
  const flow = asObject(asObject(scheme['flows'])['clientCredentials'])
  const tokenUrl = asText(flow['tokenUrl'])
  const { baseUrl, name, scopes } = named
  if (tokenUrl === undefined) return ok(makeToken(named))
  const id = nameSecret(named, 'CLIENT_ID')
  const key = nameSecret(named, 'CLIENT_SECRET')
  const options = {
    token_url: /^https?:/i.test(tokenUrl) ? tokenUrl : `${findOrigin(baseUrl)}${tokenUrl}`,
    client_id_secret: id.name,
    client_secret_secret: key.name,
    ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
  }
  return ok({
    ...NO_SECURITY,
    config: { plugin_hook: 'oauth2_client_credentials', plugin_options: options },
    secrets: [
      { ...id, what: `client id of ${name}` },
      { ...key, what: `client secret of ${name}` },
    ],
  })
}

function makeToken(named: NamedScheme): ToolSecurity {
  const { name, scopes } = named
  const secret = nameSecret(named, 'TOKEN')
  const what = `access token of ${name}; each user needs one of their own`
  const reach = scopes.length === 0 ? '' : `, for ${joinNames(scopes)}`
  return {
    ...NO_SECURITY,
    config: { auth: { type: 'bearer', secret: secret.name } },
    secrets: [{ ...secret, what: `${what}${reach}` }],
  }
}

/** Names the secret of a part of a scheme. */
function nameSecret({ host, name, secretNames }: NamedScheme, role?: Credential['role']) {
  const part = role === undefined ? {} : { role }
  return secretNames.nameOf({ kind: 'scheme', scheme: name, host, ...part })
}

function findOrigin(url: string): string {
  return /^https?:\/\/[^/?#]+/i.exec(url)?.[0] ?? ''
}

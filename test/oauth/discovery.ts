/**
 * How a hosted client finds the authorization server of an MCP server: challenge, protected resource metadata
 * (RFC 9728), server metadata (RFC 8414). MCP 2025-11-25, basic/authorization. It takes nothing for granted that
 * its maker's page demands.
 */
import { isRecord } from '../clients/agent.ts'
import { must } from './must.ts'

export type Server = {
  readonly issuer: string
  readonly resource: string
  /** What the challenge asks for, or all that the resource has. */
  readonly scope: string
  readonly authorizationEndpoint: string
  readonly tokenEndpoint: string
  readonly registrationEndpoint: string | undefined
  readonly takesDocuments: boolean
  readonly promisesIss: boolean
}

/** Throws for the first thing that keeps the product from connecting. */
export async function discover(mcp: string): Promise<Server> {
  const { origin, pathname } = new URL(mcp)
  const challenge = await readChallenge(mcp)
  const resourceUrl =
    find(challenge, 'resource_metadata') ??
    `${origin}/.well-known/oauth-protected-resource${pathname}`
  const resource = await getJson(resourceUrl)
  must(resource['resource'] === mcp, `${resourceUrl} is about ${resource['resource']}`)
  const [issuer] = textsOf(resource['authorization_servers'])
  must(issuer !== undefined, `${resourceUrl} names no authorization server`)
  const server = await readServer(String(issuer))
  must(server['issuer'] === issuer, `the issuer of ${issuer} is ${server['issuer']}`)
  must(has(server, 'response_types_supported', 'code'), 'no response type code')
  must(has(server, 'code_challenge_methods_supported', 'S256'), 'no PKCE with S256')
  must(has(server, 'grant_types_supported', 'refresh_token'), 'no refresh tokens')
  const takesNone = has(server, 'token_endpoint_auth_methods_supported', 'none')
  const registration = server['registration_endpoint']
  return {
    issuer: String(issuer),
    resource: mcp,
    scope: find(challenge, 'scope') ?? textsOf(resource['scopes_supported']).join(' '),
    authorizationEndpoint: String(server['authorization_endpoint']),
    tokenEndpoint: String(server['token_endpoint']),
    registrationEndpoint: typeof registration === 'string' ? registration : undefined,
    takesDocuments: server['client_id_metadata_document_supported'] === true && takesNone,
    promisesIss: server['authorization_response_iss_parameter_supported'] === true,
  }
}

/** A request without a token must be answered 401; the header may have got lost on the way. */
async function readChallenge(mcp: string): Promise<string> {
  const answer = await fetch(mcp, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'hosted', version: '1.0.0' },
      },
    }),
  })
  must(answer.status === 401, `${mcp} answered ${answer.status} and not 401`)
  return answer.headers.get('www-authenticate') ?? ''
}

/** OAuth's document first, then OpenID Connect's; with a path in between where the issuer has one. */
async function readServer(issuer: string): Promise<{ readonly [name: string]: unknown }> {
  const { origin, pathname } = new URL(issuer)
  const path = pathname === '/' ? '' : pathname
  const first = await fetch(`${origin}/.well-known/oauth-authorization-server${path}`)
  if (first.ok) return readJson(first)
  return getJson(`${origin}/.well-known/openid-configuration${path}`)
}

async function getJson(url: string): Promise<{ readonly [name: string]: unknown }> {
  const answer = await fetch(url)
  must(answer.ok, `${url} answered ${answer.status}`)
  return readJson(answer)
}

async function readJson(answer: Response): Promise<{ readonly [name: string]: unknown }> {
  const json: unknown = await answer.json()
  return isRecord(json) ? json : {}
}

function find(challenge: string, name: string): string | undefined {
  return new RegExp(`\\b${name}="([^"]*)"`).exec(challenge)?.[1]
}

function has(server: { readonly [name: string]: unknown }, name: string, value: string): boolean {
  return textsOf(server[name]).includes(value)
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : []
}

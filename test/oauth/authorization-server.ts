/**
 * A foreign authorization server: oidc-provider on 127.0.0.1, with registration, PKCE and resource indicators,
 * and a person who logs in by following its redirects with a cookie jar. Its access tokens are JWTs.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import Provider, { type Configuration } from 'oidc-provider'
import type { Person } from './agent.ts'

export const ALL_SCOPES = 'tools:read tools:call'

/** What the next pages and tokens are about. */
type Mood = {
  /** Who sits at the browser. */
  account: string
  /** What the person allows, of what the client asks for. */
  allowed: string
  /** The audience of access tokens; undefined: what the client asked for. */
  audience: string | undefined
}

export type AuthorizationServer = {
  readonly issuer: string
  readonly mood: Mood
  readonly logIn: Person
  stop(): Promise<void>
}

export async function startAuthorizationServer(): Promise<AuthorizationServer> {
  const mood: Mood = { account: 'ada', allowed: ALL_SCOPES, audience: undefined }
  let answer = (_request: IncomingMessage, response: ServerResponse) => void response.end()
  const server = createServer((request, response) => answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // The cast is safe for a server that listens on a port.
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = new Provider(issuer, await configure(mood))
  const serve = provider.callback()
  answer = (request, response) => {
    if (request.url?.startsWith('/interaction/') !== true) return void serve(request, response)
    interact(provider, mood, request, response).catch(() => response.destroy())
  }
  return {
    issuer,
    mood,
    logIn: (page) => followRedirects(issuer, page),
    stop: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

async function configure(mood: Mood): Promise<Configuration> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const key = { ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid: 'one' }
  return {
    jwks: { keys: [key] },
    cookies: { keys: ['keys of a test'] },
    // Those of a resource are its own; listed here, each login would ask for them twice.
    scopes: ['openid'],
    pkce: { required: () => true },
    clientDefaults: { token_endpoint_auth_method: 'none' },
    // The SDKs register with the scope of the challenge; a pinned scope could never grow.
    extraClientMetadata: {
      properties: ['scope'],
      validator: (_context, _key, _value, metadata) => {
        delete metadata['scope']
      },
    },
    issueRefreshToken: async () => true,
    findAccount: async (_context, id) => ({ accountId: id, claims: async () => ({ sub: id }) }),
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    ttl: {
      AccessToken: 3_600,
      Grant: 86_400,
      Interaction: 600,
      RefreshToken: 86_400,
      Session: 600,
    },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: async () => true,
        getResourceServerInfo: async (_context, resource) => ({
          scope: ALL_SCOPES,
          audience: mood.audience ?? resource,
          accessTokenFormat: 'jwt',
        }),
      },
    },
  }
}

/** Each page is answered at once, by whoever sits there. */
async function interact(
  provider: Provider,
  mood: Mood,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { grantId, params, prompt, session } = await provider.interactionDetails(request, response)
  if (prompt.name === 'login') {
    const login = { accountId: mood.account }
    await provider.interactionFinished(request, response, { login })
    return
  }
  const found = grantId === undefined ? undefined : await provider.Grant.find(grantId)
  const accountId = session?.accountId ?? mood.account
  const clientId = String(params['client_id'])
  const grant = found ?? new provider.Grant({ accountId, clientId })
  grant.addOIDCScope('openid')
  const asked = String(params['scope'] ?? '').split(' ')
  const allowed = mood.allowed.split(' ')
  const given = asked.filter((scope) => allowed.includes(scope))
  grant.addResourceScope(String(params['resource']), given.join(' '))
  const refused = asked.filter((scope) => scope.startsWith('tools:') && !allowed.includes(scope))
  if (refused.length > 0) grant.rejectResourceScope(String(params['resource']), refused.join(' '))
  const consent = { grantId: await grant.save() }
  await provider.interactionFinished(
    request,
    response,
    { consent },
    { mergeWithLastSubmission: true },
  )
}

const HOPS_MAX = 12

/** A browser without a screen: follows redirects with its cookies up to another site. */
async function followRedirects(issuer: string, page: URL): Promise<URL> {
  const cookies = new Map<string, string>()
  let url = page
  for (let hop = 0; hop < HOPS_MAX; hop += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(url, { headers: { cookie }, redirect: 'manual' })
    for (const set of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      cookies.set(name, value)
    }
    const location = answer.headers.get('location')
    if (location === null) throw new Error(`${url}: ${answer.status} ${await answer.text()}`)
    url = new URL(location, url)
    if (url.origin !== issuer) return url
  }
  throw new Error(`more than ${HOPS_MAX} redirects from ${page}`)
}

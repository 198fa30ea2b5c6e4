/**
 * The OAuth client over oauth4webapi. Every request goes through the port of upstreams, whose guard
 * allows https at public addresses and what the operator lists, follows no redirect here, and reads
 * a bounded answer. Bound by RFC 8414, RFC 9728, RFC 9207, RFC 8707, RFC 7636 and ADR 0125.
 */
import * as oauth from 'oauth4webapi'
import { err, ok, type Result } from '../../core/errors.ts'
import type {
  OAuthClient,
  OAuthFailure,
  OAuthGrant,
  OAuthServer,
  OAuthTokens,
} from '../../core/ports/oauth-client.ts'
import type { Clock, Upstream } from '../../core/ports/outside.ts'
import { parseTarget } from '../../core/request/check-target.ts'
import { makeGuardedFetch } from './guarded-fetch.ts'

type Parts = {
  readonly clock: Clock
  readonly outboundAllow: readonly string[]
  readonly upstream: Upstream
}

type Tokens = Result<OAuthTokens, OAuthFailure>

export function makeOAuthClient(parts: Parts): OAuthClient {
  const toOptions = (uid: string) => ({
    [oauth.customFetch]: makeGuardedFetch(parts, uid),
    // The guard of upstreams decides about http: it allows it for hosts that the operator lists.
    [oauth.allowInsecureRequests]: true,
  })
  return {
    discover: ({ issuer, resource, uid }) =>
      settle(async () => {
        const options = toOptions(uid)
        const found = issuer === undefined ? await findIssuer(resource, options) : { issuer }
        const as = await discoverServer(found.issuer, options)
        return ok({ ...readServer(as, parts.outboundAllow), ...toScope(found) })
      }),
    register: (server, client) =>
      settle(async () => {
        const metadata = toRegistration(client)
        const as = { issuer: server.issuer, ...toRegistrationEndpoint(server) }
        const options = toOptions(client.uid)
        const sent = await oauth.dynamicClientRegistrationRequest(as, metadata, options)
        const { client_id: id } = await oauth.processDynamicClientRegistrationResponse(sent)
        return ok(id)
      }),
    authorize,
    exchange: (grant, { query, redirectUri, state, verifier }) =>
      settleTokens(async () => {
        const { as, client } = toParties(grant)
        const callback = new URLSearchParams(query)
        const params = oauth.validateAuthResponse(as, client, callback, state)
        const sent = await oauth.authorizationCodeGrantRequest(
          as,
          client,
          oauth.None(),
          params,
          redirectUri,
          verifier,
          { ...toOptions(grant.uid), additionalParameters: { resource: grant.resource } },
        )
        return oauth.processAuthorizationCodeResponse(as, client, sent)
      }),
    refresh: (grant, refreshToken) =>
      settleTokens(async () => {
        const { as, client } = toParties(grant)
        const options = {
          ...toOptions(grant.uid),
          additionalParameters: { resource: grant.resource },
        }
        const none = oauth.None()
        const sent = await oauth.refreshTokenGrantRequest(as, client, none, refreshToken, options)
        return oauth.processRefreshTokenResponse(as, client, sent)
      }),
  }
}

type Options = oauth.DiscoveryRequestOptions

type Issuer = { readonly issuer: string; readonly scopes?: readonly string[] | undefined }

/** The first authorization server that the resource names, at the path form or at the root. */
async function findIssuer(resource: string, options: Options): Promise<Issuer> {
  const url = new URL(resource)
  const byPath = await oauth.resourceDiscoveryRequest(url, options)
  const isRoot = byPath.status !== 200
  const root = new URL(url.origin)
  const sent = isRoot ? await oauth.resourceDiscoveryRequest(root, options) : byPath
  const metadata = await oauth.processResourceDiscoveryResponse(isRoot ? root : url, sent)
  const [issuer] = metadata.authorization_servers ?? []
  if (issuer === undefined) throw new Unusable('names no authorization server')
  return { issuer, scopes: metadata.scopes_supported }
}

function toScope({ scopes }: Issuer): Pick<OAuthServer, 'scope'> {
  return scopes === undefined || scopes.length === 0 ? {} : { scope: scopes.join(' ') }
}

/** OAuth's metadata, or those of OpenID Connect. */
async function discoverServer(
  issuer: string,
  options: Options,
): Promise<oauth.AuthorizationServer> {
  const url = new URL(issuer)
  const plain = await oauth.discoveryRequest(url, { ...options, algorithm: 'oauth2' })
  const sent =
    plain.status === 200
      ? plain
      : await oauth.discoveryRequest(url, { ...options, algorithm: 'oidc' })
  return oauth.processDiscoveryResponse(url, sent)
}

function readServer(as: oauth.AuthorizationServer, outboundAllow: readonly string[]): OAuthServer {
  const { authorization_endpoint: authorization, token_endpoint: token } = as
  if (authorization === undefined || token === undefined) {
    throw new Unusable('has no authorization endpoint or no token endpoint')
  }
  // The browser goes there, so the guard of requests does not see it.
  const target = parseTarget(authorization, { outboundAllow })
  if (!target.ok) throw new Unusable(`has an authorization endpoint that ${target.error}`)
  if (as.code_challenge_methods_supported?.includes('S256') !== true) {
    throw new Unusable('does not offer PKCE with S256')
  }
  const { registration_endpoint: registration } = as
  return {
    issuer: as.issuer,
    authorizationEndpoint: authorization,
    tokenEndpoint: token,
    ...(registration === undefined ? {} : { registrationEndpoint: registration }),
    takesDocuments: as['client_id_metadata_document_supported'] === true,
    sendsIssuer: as.authorization_response_iss_parameter_supported === true,
  }
}

const authorize: OAuthClient['authorize'] = async (server, asked) => {
  const verifier = oauth.generateRandomCodeVerifier()
  const url = new URL(server.authorizationEndpoint)
  const parameters = {
    response_type: 'code',
    client_id: asked.clientId,
    redirect_uri: asked.redirectUri,
    state: asked.state,
    resource: asked.resource,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...(asked.scope === undefined ? {} : { scope: asked.scope }),
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return { url: url.href, verifier }
}

function toRegistration({ name, redirectUri }: Parameters<OAuthClient['register']>[1]) {
  return {
    client_name: name,
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }
}

function toRegistrationEndpoint({ registrationEndpoint }: OAuthServer) {
  return registrationEndpoint === undefined ? {} : { registration_endpoint: registrationEndpoint }
}

function toParties({ clientId, server }: OAuthGrant) {
  const as: oauth.AuthorizationServer = {
    issuer: server.issuer,
    token_endpoint: server.tokenEndpoint,
    authorization_response_iss_parameter_supported: server.sendsIssuer,
  }
  return { as, client: { client_id: clientId } }
}

/** What an authorization server lacks: a clause that follows "the authorization server …". */
class Unusable extends Error {}

/** Texts of the library and of servers go nowhere: they may quote tokens. */
async function settle<T>(
  run: () => Promise<Result<T, OAuthFailure>>,
): Promise<Result<T, OAuthFailure>> {
  try {
    return await run()
  } catch (cause) {
    return err(toFailure(cause))
  }
}

function settleTokens(run: () => Promise<oauth.TokenEndpointResponse>): Promise<Tokens> {
  return settle(async () => {
    const { access_token: accessToken, expires_in: sec, refresh_token: refreshToken } = await run()
    return ok({
      accessToken,
      ...(refreshToken === undefined ? {} : { refreshToken }),
      ...(sec === undefined ? {} : { expiresInSec: sec }),
    })
  })
}

/** Codes of RFC 6749 and RFC 8707 that are shown; any other text stays out. */
const SHOWN_CODE = /^[a-z_]{1,40}$/

function toFailure(cause: unknown): OAuthFailure {
  if (cause instanceof oauth.AuthorizationResponseError) {
    return { kind: 'refused', detail: `answered ${toShownCode(cause.error)}` }
  }
  if (cause instanceof oauth.ResponseBodyError) {
    const isTemporary = cause.status >= 500 || cause.status === 429
    const detail = `answered ${cause.status} ${toShownCode(cause.error)}`
    return { kind: isTemporary ? 'unreachable' : 'refused', detail }
  }
  if (cause instanceof Unusable) return { kind: 'refused', detail: cause.message }
  if (cause instanceof oauth.OperationProcessingError) {
    const isStatus = cause.code === oauth.RESPONSE_IS_NOT_CONFORM
    return { kind: isStatus ? 'unreachable' : 'refused', detail: WRONG_ANSWER }
  }
  return { kind: 'unreachable', detail: 'could not be reached' }
}

function toShownCode(code: string): string {
  return SHOWN_CODE.test(code) ? code : 'an error'
}

const WRONG_ANSWER =
  'gave an answer that does not fit the request: another issuer or state, or a form that OAuth does not allow'

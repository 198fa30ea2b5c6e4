/**
 * A user's login at the authorization server of an upstream, with the gateway as client. It starts
 * on the page of missing secrets, where the person has proven to be the user, and ends at the
 * callback in the same browser: the state and all that the end needs are sealed in a cookie, so
 * nothing is stored before there are tokens. Bound by docs/upstream-credentials.md and ADR 0125.
 *
 *   page: key proven ── server found ── cookie + 303 ─▶ server ─▶ callback: cookie opened, state equal
 *     ── state claimed ✔ ── code exchanged ── tokens sealed ── written
 *   the callback again, or with the state of another login: no cookie, or claimed ── nothing happens
 *   a callback that somebody sends to another browser: no cookie there ── nothing happens
 *
 * Dying after the exchange: the tokens are lost, and the next call asks for a login again.
 */
import { err, ok, type Result } from '../../errors.ts'
import { decodeBase64Url, encodeBase64Url } from '../../json/base64url.ts'
import { isJsonObject } from '../../json/json.ts'
import { parseJson } from '../../json/parse-json.ts'
import { countBytes } from '../../json/text-bytes.ts'
import { OAUTH_CALLBACK_PATH, OAUTH_CLIENT_PATH } from '../../login/paths.ts'
import type {
  OAuthClient,
  OAuthFailure,
  OAuthGrant,
  OAuthServer,
} from '../../ports/oauth-client.ts'
import type { Ports } from '../../ports/ports.ts'
import {
  REGISTRATION_LIFE_MS,
  SECRET_BYTES_MAX,
  SECRET_LINK_LIFE_MS,
} from '../../secrets/limits.ts'
import { withTokens, writeLoginTokens } from '../../secrets/login-tokens.ts'
import type { SecretBinding } from '../../secrets/secret-binding.ts'
import type { SecretLink } from '../../secrets/secret-link.ts'
import type { OAuthLogin, SkillSource } from '../../skills/skill.ts'
import { checkBindingLimits } from '../users/bind-secret.ts'
import { type StoreSecretNeeds, storeSecret } from '../users/manage-secrets.ts'

export type UpstreamLoginNeeds = StoreSecretNeeds &
  Pick<
    Ports,
    | 'digests'
    | 'idempotencyRecords'
    | 'ids'
    | 'logins'
    | 'oauthRegistrations'
    | 'profiles'
    | 'seals'
  > & {
    readonly oauthClient: Omit<OAuthClient, 'refresh'>
  }

export type UpstreamLoginContext = {
  readonly ports: UpstreamLoginNeeds
  readonly login: { readonly issuer: string }
}

/** Random bytes of a state. */
const STATE_BYTES = 32
const CLIENT_NAME = 'Skillgate'
const PURPOSE = 'upstream-login'

/** What the callback needs, sealed in the cookie. */
type Begun = Pick<SecretLink, 'toolName' | 'uid'> & {
  readonly state: string
  readonly verifier: string
  readonly clientId: string
  readonly server: OAuthGrant['server']
  readonly name: string
  readonly bound: SecretBinding
  readonly resource: string
  readonly untilMs: number
}

export type StartedLogin = {
  readonly location: string
  readonly state: string
  /** The value of the cookie, base64url. */
  readonly cookie: string
}

type Login = {
  readonly link: SecretLink
  readonly auth: OAuthLogin
  readonly source: SkillSource
  readonly origins: readonly string[]
}

/** An error is a sentence for the person. Throws `Fault` if the store fails. */
export async function startUpstreamLogin(
  context: UpstreamLoginContext,
  { auth, link, origins, source }: Login,
): Promise<Result<StartedLogin, string>> {
  const { ports } = context
  const { issuer, resource } = auth
  const { skillId, toolName, uid } = link
  const marketSkills = source === 'market' ? [skillId] : []
  const bound = checkBindingLimits({ tier: undefined, origins, marketSkills, login: resource })
  if (!bound.ok) return err(bound.error.detail)
  const server = await ports.oauthClient.discover({ resource, issuer, uid })
  if (!server.ok) return logFailure(ports, uid, server.error)
  const clientId = await findClientId(context, auth, server.value, uid)
  if (!clientId.ok) return clientId
  const state = ports.ids.token(STATE_BYTES)
  const redirectUri = toRedirectUri(context)
  const scope = auth.scope ?? server.value.scope
  const asked = { clientId: clientId.value, redirectUri, resource, scope, state }
  const { url, verifier } = await ports.oauthClient.authorize(server.value, asked)
  const { issuer: id, sendsIssuer, tokenEndpoint } = server.value
  const begun: Begun = {
    uid,
    toolName,
    state,
    verifier,
    clientId: clientId.value,
    server: { issuer: id, sendsIssuer, tokenEndpoint },
    name: auth.secret,
    bound: bound.value,
    resource,
    untilMs: ports.clock.nowMs() + SECRET_LINK_LIFE_MS,
  }
  const secret = await ports.logins.secret()
  const cookie = encodeBase64Url(ports.seals.seal(secret, PURPOSE, JSON.stringify(begun)))
  return ok({ location: url, state, cookie })
}

/** Returns the tool that now has its login. An error is a sentence for the person. */
export async function finishUpstreamLogin(
  context: UpstreamLoginContext,
  query: string,
  cookie: string | undefined,
): Promise<Result<{ readonly toolName: string }, string>> {
  const { clock, digests, idempotencyRecords, oauthClient, profiles } = context.ports
  const begun = cookie === undefined ? undefined : await readBegun(context, cookie)
  const state = new URLSearchParams(query).get('state')
  if (begun === undefined || begun.state !== state || clock.nowMs() >= begun.untilMs) {
    return err(NOT_BEGUN)
  }
  const id = digests.sha256(`upstream-login:${state}`)
  const { clientId, resource, server, toolName, uid, verifier } = begun
  const claim = {
    id,
    bodyHash: id,
    sealingKeyHash: id,
    uid,
    callId: id,
    claimedAtMs: clock.nowMs(),
  }
  const writeToken = context.ports.ids.token(STATE_BYTES)
  const claimed = await idempotencyRecords.claim({ ...claim, writeToken })
  if (claimed.kind !== 'claimed') return err(NOT_BEGUN)
  const profile = await profiles.read(uid)
  if (profile === undefined || profile.disabled !== undefined) return err(NO_USER)
  const redirectUri = toRedirectUri(context)
  const answer = { query, redirectUri, state, verifier }
  const tokens = await oauthClient.exchange({ server, clientId, resource, uid }, answer)
  if (!tokens.ok) return logFailure(context.ports, uid, tokens.error)
  const { issuer, tokenEndpoint } = server
  const login = withTokens({ clientId, issuer, tokenEndpoint }, tokens.value, clock.nowMs())
  return keepLogin(context, begun, writeLoginTokens(login), toolName)
}

async function keepLogin(
  { ports }: UpstreamLoginContext,
  { bound, name, uid }: Begun,
  value: string,
  toolName: string,
): Promise<Result<{ readonly toolName: string }, string>> {
  const bytes = countBytes(value)
  if (bytes > SECRET_BYTES_MAX) return err(writeTooLong(bytes))
  const stored = await storeSecret(ports, { uid, name, skillId: undefined, value, bound })
  if (!stored.ok) return err(stored.error.detail)
  ports.log.note('info', 'login-set-by-user', { uid })
  return ok({ toolName })
}

/** The document of the gateway as a client; its own URL is its client id. */
export function describeOAuthClient(origin: string) {
  return {
    client_id: `${origin}${OAUTH_CLIENT_PATH}`,
    client_name: CLIENT_NAME,
    client_uri: origin,
    redirect_uris: [`${origin}${OAUTH_CALLBACK_PATH}`],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }
}

/** The tool's own client id, else the URL of our document, else a registration. */
async function findClientId(
  { login, ports }: UpstreamLoginContext,
  auth: OAuthLogin,
  server: OAuthServer,
  uid: string,
): Promise<Result<string, string>> {
  if (auth.clientId !== undefined) return ok(auth.clientId)
  const { client_id: document } = describeOAuthClient(login.issuer)
  if (server.takesDocuments && document.startsWith('https:')) return ok(document)
  const { clock, digests, oauthRegistrations } = ports
  const redirectUri = toRedirectUri({ login })
  // The text names both: a client of another callback URL of this gateway is of no use here.
  const id = digests.sha256(`oauth-client:${JSON.stringify([server.issuer, redirectUri])}`)
  const known = await oauthRegistrations.find(id, clock.nowMs())
  if (known !== undefined) return ok(known)
  if (server.registrationEndpoint === undefined) return err(writeFailure(NO_REGISTRATION))
  const made = await ports.oauthClient.register(server, { name: CLIENT_NAME, redirectUri, uid })
  if (!made.ok) return logFailure(ports, uid, made.error)
  const nowMs = clock.nowMs()
  const expiresAtMs = nowMs + REGISTRATION_LIFE_MS
  return ok(await oauthRegistrations.add(id, { clientId: made.value, expiresAtMs }, nowMs))
}

function toRedirectUri({ login }: Pick<UpstreamLoginContext, 'login'>): string {
  return `${login.issuer}${OAUTH_CALLBACK_PATH}`
}

/** A text that this gateway sealed for this purpose; undefined for any other. */
async function readBegun(
  { ports }: UpstreamLoginContext,
  cookie: string,
): Promise<Begun | undefined> {
  const sealed = decodeBase64Url(cookie)
  if (sealed === undefined) return undefined
  const secret = await ports.logins.secret()
  try {
    const parsed = parseJson(ports.seals.open(secret, PURPOSE, sealed))
    return parsed.ok && isJsonObject(parsed.value) ? (parsed.value as unknown as Begun) : undefined
  } catch {
    // Changed, or sealed for another purpose: the same answer as no cookie.
    return undefined
  }
}

function logFailure(
  { log }: Pick<Ports, 'log'>,
  uid: string,
  { detail, kind }: OAuthFailure,
): Result<never, string> {
  log.note('warn', 'upstream-login-failed', { uid, why: kind })
  return err(writeFailure(detail))
}

function writeFailure(detail: string): string {
  return `The authorization server of this tool ${detail}. Nothing was stored. Try again; if this page comes again, tell your administrator.`
}

function writeTooLong(bytes: number): string {
  return `The tokens of this login have ${bytes} bytes, and ${SECRET_BYTES_MAX} is the most that is kept. Nothing was stored. Tell your administrator.`
}

const NO_REGISTRATION =
  'takes neither the document of this gateway nor registrations, so an administrator must set a client_id in the tool'
const NOT_BEGUN =
  'This login was not begun in this browser, is over, or was used already. Let your program call the tool again, and open its new link.'
const NO_USER = 'The user of this login is disabled or gone. Nothing was stored.'

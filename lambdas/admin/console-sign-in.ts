/**
 * Signs people in to the console. A page may ask its own origin alone, so this door looks up where
 * an issuer has its pages, and exchanges codes and refresh tokens for the page. It adds no secret of
 * its own: whoever has a code with its verifier could do the same at the issuer. It asks configured
 * issuers alone, and no page of another origin may use it. Bound by docs/console-sign-in.md and ADR
 * 0146.
 *
 *   GET  console/sign-in          ways, and whether keys are taken
 *   POST console/sign-in/start    {issuer, audience}                        where to go
 *   POST console/sign-in/tokens   {…, code, verifier, nonce?} or {…, refreshToken}   tokens
 *   POST console/sign-in/end      {…, token}                                nothing
 *
 * Two refreshes at once with one token are two requests to the issuer, whose rules decide. The page
 * sends one at a time, and each tab has a sign-in of its own.
 */
import {
  type AdminAnswer,
  type AdminRequest,
  toRefusalAnswer,
} from '../../adapters/http/admin-kit.ts'
import { checkJsonType, findHeader } from '../../adapters/http/request.ts'
import {
  type IssuedTokens,
  requestTokens,
  revokeToken,
} from '../../adapters/issuers/request-tokens.ts'
import {
  type FindEndpoints,
  makeFindEndpoints,
  type SignInEndpoints,
} from '../../adapters/issuers/sign-in-endpoints.ts'
import { err, Fault, ok, type Refusal, type Result, refuse } from '../../core/errors.ts'
import { countConsoleSignIn } from '../../core/flow/login/login-tries.ts'
import { isJsonObject, type JsonObject } from '../../core/json/json.ts'
import { parseJson } from '../../core/json/parse-json.ts'
import { toConsoleUrl } from '../../core/login/console-client.ts'
import { CONSOLE_SIGN_IN_BYTES_MAX } from '../../core/login/limits.ts'
import { AUTHORIZE_PATH, REVOKE_PATH, TOKEN_PATH } from '../../core/login/paths.ts'
import type { Upstream } from '../../core/ports/outside.ts'
import type { Settings } from '../../core/settings.ts'
import type { AdminPorts } from './route.ts'
import { findAdminUrl } from './sign-in.ts'
import { listKeyWays, listSignInWays, type SignInWay } from './sign-in-ways.ts'

type Needs = Pick<AdminPorts, 'clock' | 'digests' | 'log' | 'rateCounters'> & {
  /** Asks issuers, through the guard of addresses. */
  readonly upstream: Upstream
}

export type SignInDoor = (request: AdminRequest) => Promise<AdminAnswer>

const SIGN_IN_FORM = /^(?:\/v1)?\/console\/sign-in(?:\/(start|tokens|end))?$/

export function isConsoleSignInPath(path: string): boolean {
  return SIGN_IN_FORM.test(path)
}

type Context = {
  readonly ports: Needs
  readonly findEndpoints: FindEndpoints
  /** Where issuers send browsers back. */
  readonly redirectUri: string
  readonly ways: readonly SignInWay[]
}

/** Returns the function that answers {@link isConsoleSignInPath}. It remembers endpoints. */
export function createConsoleSignIn(ports: Needs, settings: Settings): SignInDoor {
  const findEndpoints = makeFindEndpoints(ports)
  return async (request) => {
    const adminUrl = findAdminUrl(settings, request)
    if (adminUrl === undefined) throw new Fault('internal', 'sign-in: the domain is not known')
    const ways = listSignInWays(settings, adminUrl)
    const context = { ports, findEndpoints, redirectUri: toConsoleUrl(adminUrl), ways }
    const [, step] = SIGN_IN_FORM.exec(request.path) ?? []
    if (step === undefined) return answerWays(context, settings, request)
    const answer = await takeStep(context, step, request)
    return answer.ok ? answer.value : toRefusalAnswer(answer.error)
  }
}

function answerWays(
  { redirectUri, ways }: Context,
  settings: Settings,
  { method }: AdminRequest,
): AdminAnswer {
  if (method !== 'GET' && method !== 'HEAD') {
    const detail = 'This path takes GET only.'
    return toRefusalAnswer({ code: 'method_not_allowed', detail }, { allow: 'GET, HEAD' })
  }
  return { status: 200, body: { redirectUri, ways, keys: listKeyWays(settings) } }
}

async function takeStep(
  context: Context,
  step: string,
  request: AdminRequest,
): Promise<Result<AdminAnswer>> {
  const sent = readSent(context, request)
  if (!sent.ok) return sent
  const tries = await countConsoleSignIn(context.ports, request.sourceAddress)
  if (tries.isOver) {
    const { retryAfterSec } = tries
    const detail = `Your network has signed in too often. Try again in ${retryAfterSec} s.`
    return err({ code: 'rate_limited', detail, retryAfterSec })
  }
  const { fields, way } = sent.value
  if (step === 'start') return start(context, way)
  return step === 'tokens' ? giveTokens(context, way, fields) : end(context, way, fields)
}

type Sent = { readonly way: SignInWay; readonly fields: JsonObject }

/** A page of another origin is refused before anything is counted or asked. */
function readSent({ redirectUri, ways }: Context, request: AdminRequest): Result<Sent> {
  if (request.method !== 'POST') return refuse('method_not_allowed', 'This path takes POST only.')
  const { origin } = new URL(redirectUri)
  if (findHeader(request, 'origin') !== origin) {
    return refuse('forbidden', `Origin: only the console at ${redirectUri} may sign people in.`)
  }
  const type = checkJsonType(request)
  if (!type.ok) return type
  const json = parseJson(request.body, { bytesMax: CONSOLE_SIGN_IN_BYTES_MAX, depthMax: 2 })
  if (!json.ok) return json
  const fields = isJsonObject(json.value) ? json.value : {}
  const way = ways.find(
    ({ audience, issuer }) => issuer === fields['issuer'] && audience === fields['audience'],
  )
  return way === undefined
    ? refuse('malformed', 'issuer: is not one of this gateway for this audience; reload the page.')
    : ok({ way, fields })
}

async function start(context: Context, way: SignInWay): Promise<Result<AdminAnswer>> {
  const { authorizationUrl, namesIssuer } = await findEndpointsOf(context, way)
  return ok({ status: 200, body: { authorizationUrl, namesIssuer } })
}

async function giveTokens(
  context: Context,
  way: SignInWay,
  fields: JsonObject,
): Promise<Result<AdminAnswer>> {
  const question = readQuestion(context, way, fields)
  if (!question.ok) return question
  const { tokenUrl } = await findEndpointsOf(context, way)
  const { clientId } = way
  const tokens = await requestTokens(context.ports, { tokenUrl, clientId, ...question.value })
  noteTokens(context, way, tokens)
  return tokens.ok ? ok({ status: 200, body: tokens.value }) : err(NOT_ACCEPTED)
}

const NOT_ACCEPTED: Refusal = {
  code: 'unauthenticated',
  detail:
    'The sign-in was not accepted: it was used already, is too old, or has ended. Sign in again.',
}

function noteTokens(
  { ports }: Context,
  { issuer }: SignInWay,
  tokens: Result<IssuedTokens, string>,
): void {
  if (tokens.ok) return
  ports.log.note('info', 'console-sign-in-refused', { issuer, reason: tokens.error })
}

type Question = Pick<Parameters<typeof requestTokens>[1], 'form' | 'idToken'>

/** RFC 6749 sections 4.1.3 and 6: visible ASCII. */
const CODE = /^[\x20-\x7e]{1,4096}$/
const REFRESH = /^[\x20-\x7e]{1,8000}$/
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/
const NONCE = /^[A-Za-z0-9_-]{16,128}$/

function readQuestion(
  { redirectUri }: Context,
  { issuer, isOwn, resource, scopes }: SignInWay,
  { code, nonce, refreshToken, verifier }: JsonObject,
): Result<Question> {
  const target = resource === undefined ? {} : { resource }
  if (refreshToken !== undefined) {
    if (!fits(refreshToken, REFRESH)) return refuse('malformed', 'refreshToken: has no such form.')
    const form = { grant_type: 'refresh_token', refresh_token: refreshToken, ...target }
    return ok({ form })
  }
  if (!fits(code, CODE)) return refuse('malformed', 'code: has no such form; sign in again.')
  if (!fits(verifier, VERIFIER)) return refuse('malformed', 'verifier: has no such form.')
  const form = {
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    redirect_uri: redirectUri,
    ...target,
  }
  if (isOwn || !scopes.includes('openid')) return ok({ form })
  if (!fits(nonce, NONCE)) return refuse('malformed', 'nonce: has no such form.')
  return ok({ form, idToken: { issuer, nonce } })
}

function fits(value: JsonObject[string] | undefined, form: RegExp): value is string {
  return typeof value === 'string' && form.test(value)
}

async function end(
  context: Context,
  way: SignInWay,
  { token }: JsonObject,
): Promise<Result<AdminAnswer>> {
  if (!fits(token, REFRESH)) return refuse('malformed', 'token: has no such form.')
  const { revocationUrl } = await findEndpointsOf(context, way)
  if (revocationUrl !== undefined) {
    await revokeToken(context.ports, { revocationUrl, clientId: way.clientId, token })
  }
  return ok({ status: 204, body: undefined })
}

/** Throws `Fault('issuer_unavailable')` without usable metadata. */
async function findEndpointsOf(
  { findEndpoints }: Context,
  { isOwn, issuer }: SignInWay,
): Promise<SignInEndpoints> {
  if (isOwn) {
    return {
      authorizationUrl: `${issuer}${AUTHORIZE_PATH}`,
      tokenUrl: `${issuer}${TOKEN_PATH}`,
      revocationUrl: `${issuer}${REVOKE_PATH}`,
      namesIssuer: true,
    }
  }
  const endpoints = await findEndpoints(issuer)
  if (endpoints.ok) return endpoints.value
  throw new Fault('issuer_unavailable', `sign-in at ${issuer}: ${endpoints.error}`)
}

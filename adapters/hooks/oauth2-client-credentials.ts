/**
 * The hooks that send each request with an access token of an OAuth 2.0 client: for its credentials
 * (RFC 6749 4.4), or in exchange for the token that the caller has sent (RFC 8693). The token is fetched when it is needed, cached per user, skill, options and credentials,
 * and fetched again if the upstream answers 401. Other grants and refresh tokens are not supported.
 * Bound by docs/service.md, Plugin hooks.
 */
import { hash } from 'node:crypto'
import { err, ok, type Result } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json/json.ts'
import type { Clock } from '../../core/ports/outside.ts'
import type { HookContext, HookFailure } from '../../core/ports/registry.ts'
import { parseTarget, type TargetRules } from '../../core/request/check-target.ts'
import { readSecret, withSecretHeader } from './call-secrets.ts'
import type { Hook } from './hook.ts'
import { makeTokenRequest, readTokenAnswer, type TokenRequest } from './oauth2-token-request.ts'
import { listErrors, makeOptionsFailure, type OptionReader, readOptions } from './read-options.ts'
import { makeTokenCache, type TokenCache, type TokenResult } from './token-cache.ts'
import { makeTokenEndpoints, type TokenEndpoints } from './token-endpoints.ts'

const OPTION_NAMES =
  'token_url issuer client_id_secret client_secret_secret scope audience resource style'.split(' ')
/** The mask that replaces the token in results. */
const CONCEALED_AS = 'OAUTH2_ACCESS_TOKEN'
/** RFC 6749 3.3: words of visible ASCII without " and \, with one space between them. */
const SCOPE = /^[!#-[\]-~]+(?: [!#-[\]-~]+)*$/
const AUDIENCE = /^[\x21-\x7e]+$/
/** RFC 8707 2: an absolute URI without a fragment. */
const RESOURCE = /^[a-z][a-z0-9+.-]*:[!"$-~]+$/i
/** Visible ASCII without a fragment (RFC 6749 3.2). */
const TOKEN_URL = /^https?:\/\/[!"$-~]+$/i

type Options = Omit<TokenRequest, 'clientId' | 'clientSecret' | 'tokenUrl'> & {
  readonly tokenUrl: string | undefined
  /** Whose metadata name the token endpoint, if `tokenUrl` is absent. */
  readonly issuer: string | undefined
  readonly clientIdSecret: string
  readonly clientSecretSecret: string
}

type Settings = TargetRules & { readonly clock: Clock }

type TokenUse = { readonly key: string; readonly token: string }

/** A grant of a client: by its credentials alone, or in exchange for the caller's token. */
type Grant = 'client_credentials' | 'token_exchange'

export function makeOauth2ClientHook(settings: Settings): Hook {
  return makeTokenHook(settings, 'client_credentials')
}

export function makeOauth2ExchangeHook(settings: Settings): Hook {
  return makeTokenHook(settings, 'token_exchange')
}

function makeTokenHook({ clock, ...rules }: Settings, grant: Grant): Hook {
  const tokens = makeTokenCache(clock)
  const endpoints = makeTokenEndpoints(clock)
  /** The token of each request, so that `after` drops the refused token and not a later one. */
  const used = new WeakMap<HookContext, TokenUse>()
  return {
    name: `oauth2_${grant}`,
    optionFaults: (options) => listErrors(readClient(options, rules)),
    secretNames: (options) => {
      const read = readClient(options, rules)
      return read.ok ? [read.value.clientIdSecret, read.value.clientSecretSecret] : []
    },
    urls: (options) => {
      const read = readClient(options, rules)
      return read.ok ? [read.value.tokenUrl ?? read.value.issuer ?? ''] : []
    },
    before: async (request, context) => {
      const read = readClient(context.options, rules)
      if (!read.ok) return err(makeOptionsFailure(read.error))
      const wanted = readWanted(read.value, context, grant)
      if (!wanted.ok) return wanted
      const token = await getToken({ clock, endpoints, tokens }, wanted.value, context)
      if (!token.ok) return token
      used.set(context, token.value)
      context.conceal(CONCEALED_AS, token.value.token)
      return ok(withSecretHeader(request, 'authorization', `Bearer ${token.value.token}`))
    },
    after: async (response, context) => {
      if (response.status !== 401) return ok(response)
      const refused = used.get(context)
      if (refused !== undefined) tokens.drop(refused.key, refused.token)
      return ok('again')
    },
  }
}

type Caches = {
  readonly clock: Clock
  readonly endpoints: TokenEndpoints
  readonly tokens: TokenCache
}

/** What is sent, once its endpoint is known. */
type Wanted = Omit<TokenRequest, 'tokenUrl'> & Pick<Options, 'issuer' | 'tokenUrl'>

async function getToken(
  { clock, endpoints, tokens }: Caches,
  wanted: Wanted,
  context: HookContext,
): Promise<Result<TokenUse, HookFailure>> {
  const key = makeCacheKey(wanted, context)
  const fetch = async (): Promise<TokenResult> => {
    const { issuer = '', tokenUrl } = wanted
    const found = tokenUrl === undefined ? await endpoints.find(issuer, context) : ok(tokenUrl)
    if (!found.ok) return found
    const request = makeTokenRequest({ ...wanted, tokenUrl: found.value })
    return readTokenAnswer(await context.send(request), clock.nowMs())
  }
  const fetched = await tokens.get(key, fetch, context.signal)
  if (fetched.ok) return ok({ key, token: fetched.value })
  return err(
    fetched.error === 'cut' ? { detail: 'The call ended before it had a token.' } : fetched.error,
  )
}

/**
 * A digest, so that no credential is stored in clear text; a changed credential has another key.
 */
function makeCacheKey(wanted: Wanted, { options, skillId, uid }: HookContext): string {
  const { clientId, clientSecret, subjectToken } = wanted
  const of = [uid, skillId, options, clientId, clientSecret, subjectToken ?? null]
  return hash('sha256', JSON.stringify(of))
}

function readWanted(
  { clientIdSecret, clientSecretSecret, ...rest }: Options,
  context: HookContext,
  grant: Grant,
): Result<Wanted, HookFailure> {
  const { callerToken } = context
  if (grant === 'token_exchange' && callerToken === undefined)
    return err({ detail: NO_CALLER_TOKEN })
  const clientId = readSecret(context, clientIdSecret)
  if (!clientId.ok) return clientId
  const clientSecret = readSecret(context, clientSecretSecret)
  if (!clientSecret.ok) return clientSecret
  const subject =
    grant === 'token_exchange' && callerToken !== undefined ? { subjectToken: callerToken } : {}
  if (callerToken !== undefined) context.conceal('CALLER_TOKEN', callerToken)
  return ok({ ...rest, ...subject, clientId: clientId.value, clientSecret: clientSecret.value })
}

const NO_CALLER_TOKEN =
  'This tool acts with the login of its caller. It works for callers who log in at an authorization server of this gateway (issuers) and call over POST /mcp or POST /v1/execute; an API key and the HTTP+SSE transport carry no such login.'

function readClient(options: JsonObject, rules: TargetRules) {
  return readOptions(options, OPTION_NAMES, (from) => readAll(from, rules))
}

function readAll(from: OptionReader, rules: TargetRules): Options {
  return {
    tokenUrl: readTokenUrl(from, rules),
    clientIdSecret: from.secretName('client_id_secret'),
    clientSecretSecret: from.secretName('client_secret_secret'),
    issuer: readIssuer(from, rules),
    scope: from.text('scope', SCOPE, 'scopes with one space between them (RFC 6749 3.3)'),
    audience: from.text('audience', AUDIENCE, 'visible ASCII without spaces'),
    resource: from.text('resource', RESOURCE, 'a URL without a fragment, https://host/path'),
    style: from.choice('style', ['basic', 'body'], 'basic'),
  }
}

/** The URL is checked like the endpoint of a skill: at sync, and again before each send. */
function readTokenUrl(from: OptionReader, rules: TargetRules): string | undefined {
  const rule = 'the URL of a token endpoint, https://host/path, without a fragment'
  const url = from.text('token_url', TOKEN_URL, rule)
  if (url === undefined && !from.has('issuer')) {
    from.fault('token_url', `is missing; send ${rule}, or the issuer whose metadata name it`)
  }
  checkUrl(from, 'token_url', url, rules)
  return url
}

/**
 * The metadata of the issuer may name a token endpoint at the issuer's own origin alone: the
 * secrets of the client are bound to that origin.
 */
function readIssuer(from: OptionReader, rules: TargetRules): string | undefined {
  const issuer = from.text('issuer', TOKEN_URL, 'the URL of an authorization server, https://host')
  checkUrl(from, 'issuer', issuer, rules)
  return issuer
}

function checkUrl(
  from: OptionReader,
  name: string,
  url: string | undefined,
  rules: TargetRules,
): void {
  const target = url ? parseTarget(url, rules) : undefined
  if (target?.ok === false) from.fault(name, target.error)
}

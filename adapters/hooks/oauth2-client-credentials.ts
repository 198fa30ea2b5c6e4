/**
 * The hook that sends each request with an access token of the user's OAuth 2.0 client (RFC 6749
 * 4.4). The token is fetched when it is needed, cached per user, skill, options and credentials,
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
import { makeTokenCache, type TokenCache } from './token-cache.ts'

const OPTION_NAMES = 'token_url client_id_secret client_secret_secret scope audience style'.split(
  ' ',
)
/** The mask that replaces the token in results. */
const CONCEALED_AS = 'OAUTH2_ACCESS_TOKEN'
/** RFC 6749 3.3: words of visible ASCII without " and \, with one space between them. */
const SCOPE = /^[!#-[\]-~]+(?: [!#-[\]-~]+)*$/
const AUDIENCE = /^[\x21-\x7e]+$/
/** Visible ASCII without a fragment (RFC 6749 3.2). */
const TOKEN_URL = /^https?:\/\/[!"$-~]+$/i

type Options = Omit<TokenRequest, 'clientId' | 'clientSecret'> & {
  readonly clientIdSecret: string
  readonly clientSecretSecret: string
}

type Settings = TargetRules & { readonly clock: Clock }

type TokenUse = { readonly key: string; readonly token: string }

export function makeOauth2ClientHook({ clock, ...rules }: Settings): Hook {
  const tokens = makeTokenCache(clock)
  /** The token of each request, so that `after` drops the refused token and not a later one. */
  const used = new WeakMap<HookContext, TokenUse>()
  return {
    name: 'oauth2_client_credentials',
    optionFaults: (options) => listErrors(readClient(options, rules)),
    secretNames: (options) => {
      const read = readClient(options, rules)
      return read.ok ? [read.value.clientIdSecret, read.value.clientSecretSecret] : []
    },
    urls: (options) => {
      const read = readClient(options, rules)
      return read.ok ? [read.value.tokenUrl] : []
    },
    before: async (request, context) => {
      const read = readClient(context.options, rules)
      if (!read.ok) return err(makeOptionsFailure(read.error))
      const wanted = readWanted(read.value, context)
      if (!wanted.ok) return wanted
      const token = await getToken({ clock, tokens }, wanted.value, context)
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

async function getToken(
  { clock, tokens }: { readonly clock: Clock; readonly tokens: TokenCache },
  wanted: TokenRequest,
  context: HookContext,
): Promise<Result<TokenUse, HookFailure>> {
  const key = makeCacheKey(wanted, context)
  const fetch = async () =>
    readTokenAnswer(await context.send(makeTokenRequest(wanted)), clock.nowMs())
  const fetched = await tokens.get(key, fetch, context.signal)
  if (fetched.ok) return ok({ key, token: fetched.value })
  return err(
    fetched.error === 'cut' ? { detail: 'The call ended before it had a token.' } : fetched.error,
  )
}

/**
 * A digest, so that no credential is stored in clear text; a changed credential has another key.
 */
function makeCacheKey(wanted: TokenRequest, { options, skillId, uid }: HookContext): string {
  const { clientId, clientSecret } = wanted
  return hash('sha256', JSON.stringify([uid, skillId, options, clientId, clientSecret]))
}

function readWanted(
  { clientIdSecret, clientSecretSecret, ...rest }: Options,
  context: HookContext,
): Result<TokenRequest, HookFailure> {
  const clientId = readSecret(context, clientIdSecret)
  if (!clientId.ok) return clientId
  const clientSecret = readSecret(context, clientSecretSecret)
  if (!clientSecret.ok) return clientSecret
  return ok({ ...rest, clientId: clientId.value, clientSecret: clientSecret.value })
}

function readClient(options: JsonObject, rules: TargetRules) {
  return readOptions(options, OPTION_NAMES, (from) => readAll(from, rules))
}

function readAll(from: OptionReader, rules: TargetRules): Options {
  return {
    tokenUrl: readTokenUrl(from, rules),
    clientIdSecret: from.secretName('client_id_secret'),
    clientSecretSecret: from.secretName('client_secret_secret'),
    scope: from.text('scope', SCOPE, 'scopes with one space between them (RFC 6749 3.3)'),
    audience: from.text('audience', AUDIENCE, 'visible ASCII without spaces'),
    style: from.choice('style', ['basic', 'body'], 'basic'),
  }
}

/** The URL is checked like the endpoint of a skill: at sync, and again before each send. */
function readTokenUrl(from: OptionReader, rules: TargetRules): string {
  const rule = 'the URL of a token endpoint, https://host/path, without a fragment'
  const url = from.text('token_url', TOKEN_URL, rule)
  if (url === undefined) from.fault('token_url', `is missing; send ${rule}`)
  const target = url ? parseTarget(url, rules) : undefined
  if (target?.ok === false) from.fault('token_url', target.error)
  return url ?? ''
}

/** Asks the token endpoint of an issuer, and reads the tokens that it gives (RFC 6749 section 5). */
import type { StoredLogin } from '../../adapters/profiles/config-file.ts'
import type { JsonObject } from '../../core/json/json.ts'
import type { Invocation } from '../command/command.ts'
import { CommandFault, EXIT } from '../terminal/exit-code.ts'
import type { IssuerEndpoints, SignInClient } from './find-issuer.ts'
import { type JsonAnswer, postForm } from './request-json.ts'

/** One sign-in: the client of a gateway, at its issuer. */
export type SignIn = { readonly client: SignInClient; readonly endpoints: IssuerEndpoints }

/** Characters. A longer token fits into no header of the gateway. */
const TOKEN_CHARS_MAX = 16_384
const TOKEN = /^[\x21-\x7e]+$/
/** Seconds that a token works if the issuer does not say. */
const LIFE_SEC_DEFAULT = 3_600
/** Characters of an issuer's own words that are shown. */
const WORDS_CHARS_MAX = 200

/** Throws a CommandFault if the issuer refuses. */
export async function takeTokens(
  call: Invocation,
  signIn: SignIn,
  form: { readonly [name: string]: string | undefined },
): Promise<StoredLogin> {
  const answer = await askForTokens(call, signIn, form)
  if (answer.status === 200) return toLogin(call, signIn, answer.fields)
  throw toRefusal(signIn.client.issuer, answer.fields)
}

/** Returns the answer of the token endpoint, also if it refuses. */
export function askForTokens(
  call: Invocation,
  { client, endpoints }: SignIn,
  form: { readonly [name: string]: string | undefined },
): Promise<JsonAnswer> {
  const { clientId, resource } = client
  return postForm(call, endpoints.tokenUrl, { ...form, client_id: clientId, resource })
}

/** Throws a CommandFault if the answer has no bearer token. */
export function toLogin(
  call: Invocation,
  { client, endpoints }: SignIn,
  fields: JsonObject,
): StoredLogin {
  const { access_token: accessToken, expires_in: lifeSec, refresh_token: refreshToken } = fields
  const isBearer = String(fields['token_type']).toLowerCase() === 'bearer'
  if (!isBearer || !isToken(accessToken)) {
    throw new CommandFault(`${client.issuer} gives no token that works here.`, {
      remedy: 'Tell the operator of the gateway, and sign in with an admin key instead.',
    })
  }
  const isLife = typeof lifeSec === 'number' && lifeSec > 0
  return {
    issuer: client.issuer,
    clientId: client.clientId,
    tokenUrl: endpoints.tokenUrl.href,
    accessToken,
    expiresAtMs: call.shell.nowMs() + (isLife ? lifeSec : LIFE_SEC_DEFAULT) * 1_000,
    ...(client.resource === undefined ? {} : { resource: client.resource }),
    ...(endpoints.revocationUrl === undefined
      ? {}
      : { revocationUrl: endpoints.revocationUrl.href }),
    ...(isToken(refreshToken) ? { refreshToken } : {}),
  }
}

/** The refusal of an issuer, as RFC 6749 section 5.2 and RFC 8628 section 3.5 name it. */
export function toRefusal(issuer: string, fields: JsonObject): CommandFault {
  const code = toWords(fields['error']) ?? 'no reason given'
  const exitCode = EXIT.unauthenticated
  if (code === 'access_denied') {
    const remedy = 'Run skillgate login again and allow it, or ask who manages your account.'
    return new CommandFault('The sign-in was denied.', { exitCode, remedy })
  }
  if (code === 'expired_token') {
    const remedy = 'Run skillgate login again, and enter the new code in time.'
    return new CommandFault('The code has expired.', { exitCode, remedy })
  }
  const words = toWords(fields['error_description'])
  return new CommandFault(
    `${issuer} refuses: ${words === undefined ? code : `${code}, ${words}`}`,
    {
      exitCode,
      remedy: 'Run skillgate login again. If that fails too, tell the operator of the gateway.',
    },
  )
}

function toWords(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value.slice(0, WORDS_CHARS_MAX) : undefined
}

function isToken(value: unknown): value is string {
  return typeof value === 'string' && value.length <= TOKEN_CHARS_MAX && TOKEN.test(value)
}

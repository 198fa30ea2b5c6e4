/**
 * The token endpoint and the revocation endpoint: exchanges a code, refreshes tokens, ends a login.
 * A code or refresh token that this gateway did not make is refused without a read. Bound by OAuth
 * 2.1, RFC 7636, RFC 8707 and RFC 7009.
 */
import { hashAccessToken, isAccessToken } from '../../access/access-token.ts'
import { err, ok } from '../../errors.ts'
import { matchesChallenge, type OAuthError } from '../../login/authorize-request.ts'
import { CODE_LIFE_MS } from '../../login/limits.ts'
import { judgeRefresh, type Login } from '../../login/login.ts'
import { isOwnResource } from '../../login/metadata.ts'
import { readCode, readRefreshToken, toLoginId } from '../../login/tokens.ts'
import { endLogin, issueTokens } from './issue-tokens.ts'
import type { LoginContext, LoginNeeds } from './login-context.ts'
import { INVALID_GRANT, type TokenResult } from './token-result.ts'

export type Form = ReadonlyMap<string, string>

/** Throws `Fault` if the store fails. */
export async function answerToken(context: LoginContext, form: Form): Promise<TokenResult> {
  if (!isOwnResource(context.login.issuer, form.get('resource'))) {
    return refuse(
      'invalid_target',
      `resource: is not one of this gateway, such as ${context.login.issuer}/mcp`,
    )
  }
  switch (form.get('grant_type')) {
    case 'authorization_code':
      return exchangeCode(context, form)
    case 'refresh_token':
      return refresh(context, form)
    default:
      return refuse(
        'unsupported_grant_type',
        'grant_type: must be authorization_code or refresh_token',
      )
  }
}

/**
 *   A: login 0 ── token put ── login 1 ✔            B, the same code: login 1 ── login ended
 *   A: login 0 ── token put ── refused, B was first ── login 1 ── login ended, with B's token
 * Nobody sends a code twice but a thief, so both lose.
 */
async function exchangeCode(context: LoginContext, form: Form): Promise<TokenResult> {
  const { digests, logins } = context.ports
  const handle = readCode(digests, await logins.secret(), form.get('code') ?? '')
  if (handle === undefined) return err(INVALID_GRANT)
  const clientHash = digests.sha256(form.get('client_id') ?? '')
  const verifier = form.get('code_verifier') ?? ''
  const matches = (login: Login) =>
    digests.equal(login.clientHash, clientHash) &&
    login.redirectUri === form.get('redirect_uri') &&
    matchesChallenge(digests, verifier, login.challenge)
  return issueTokens(context, {
    id: toLoginId(digests, handle),
    handle,
    decide: (login, nowMs) => {
      if (login.generation > 0) return err('end')
      const isLate = nowMs - login.createdAtMs >= CODE_LIFE_MS
      return isLate || !matches(login) ? err('refuse') : ok(1)
    },
  })
}

/**
 * Three processes refresh with token 4 at once: one makes token 5, and the others find it made and
 * get the same token 5, each with an access token of its own. Token 4 after the grace, or token 3
 * at any time, was copied: the login ends.
 */
async function refresh(context: LoginContext, form: Form): Promise<TokenResult> {
  const { digests, logins } = context.ports
  const sent = readRefreshToken(digests, await logins.secret(), form.get('refresh_token') ?? '')
  if (sent === undefined) return err(INVALID_GRANT)
  const clientHash = digests.sha256(form.get('client_id') ?? '')
  const sentHash = digests.sha256(`${clientHash}\n${form.get('refresh_token')}`)
  return context.deadTokens.answer(sentHash, () => rotate(context, sent, clientHash))
}

function rotate(
  context: LoginContext,
  sent: { readonly handle: string; readonly generation: number },
  clientHash: string,
): Promise<TokenResult> {
  const { digests } = context.ports
  return issueTokens(context, {
    id: toLoginId(digests, sent.handle),
    handle: sent.handle,
    decide: (login, nowMs) => {
      if (!digests.equal(login.clientHash, clientHash)) return err('refuse')
      switch (judgeRefresh(login, sent.generation, nowMs)) {
        case 'rotate':
          return ok(login.generation + 1)
        case 'repeat':
          return ok(login.generation)
        case 'reused':
          return err('end')
        case 'unknown':
          return err('refuse')
      }
    },
  })
}

/**
 * Ends the login of an access or refresh token. An unknown token is no error (RFC 7009 section
 * 2.2). Throws `Fault` if the store fails.
 */
export async function revokeLogin({ ports }: LoginContext, form: Form): Promise<void> {
  const token = form.get('token') ?? ''
  const login = await findLoginOf(ports, token)
  if (login === undefined || login.endedAtMs !== undefined) return
  await endLogin(ports, login, 'revoked')
}

async function findLoginOf(
  { digests, logins }: LoginNeeds,
  token: string,
): Promise<Login | undefined> {
  if (isAccessToken(token)) {
    const id = (await logins.findKey(hashAccessToken(digests, token)))?.login
    return id === undefined ? undefined : logins.find(id)
  }
  const sent = readRefreshToken(digests, await logins.secret(), token)
  return sent === undefined ? undefined : logins.find(toLoginId(digests, sent.handle))
}

function refuse(error: OAuthError['error'], description: string): TokenResult {
  return err({ error, description })
}

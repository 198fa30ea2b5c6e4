/**
 * Gives the client of a login its next tokens. Every token is issued under the key's record as the
 * store has it now, so a key that was revoked or limited meanwhile gives nothing, or less. Order:
 *
 *   login ─▶ key ∥ profile ─▶ key renewed, once a day ─▶ anchor put, once a day ─▶ token put
 *         ─▶ login put, if as read
 *
 * If the last write loses, the caller reads the login again and decides anew.
 */
import { hashAccessToken } from '../../access/access-token.ts'
import { isKeyExpired, KEY_TTL_MS, mustRenewKey } from '../../access/api-key.ts'
import type { KeyRecord } from '../../access/principal.ts'
import { err, Fault, ok, type Result } from '../../errors.ts'
import { TOKENS_PER_LOGIN_MAX } from '../../login/limits.ts'
import { isAlive, type Login } from '../../login/login.ts'
import { ACCOUNT_SCOPE, ALL_SCOPES } from '../../login/token-scopes.ts'
import { makeAccessToken, makeRefreshToken } from '../../login/tokens.ts'
import type { LoginSettings } from '../../settings.ts'
import type { LoginContext, LoginNeeds } from './login-context.ts'
import { INVALID_GRANT, type TokenAnswer, type TokenResult } from './token-result.ts'

/** Of callers with one login at once, one wins each round. */
export const ISSUE_ROUNDS_MAX = 20
/** Bytes of the random part of a token, of which 126 bits are used. */
const RANDOM_BYTES = 16

type IssueOrder = {
  readonly id: string
  readonly handle: string
  readonly decide: (login: Login, nowMs: number) => Result<number, 'refuse' | 'end'>
}

/**
 * Decides by the login as it is now, until its write wins. `decide` returns the number of the
 * refresh token to answer with, or why there is none. Throws `Fault` if the store fails.
 */
export async function issueTokens(context: LoginContext, order: IssueOrder): Promise<TokenResult> {
  for (let round = 0; round < ISSUE_ROUNDS_MAX; round += 1) {
    const result = await tryIssue(context, order)
    if (result !== 'met-another') return result
  }
  throw new Fault('store_unavailable', `login: met other changes ${ISSUE_ROUNDS_MAX} times`)
}

async function tryIssue(
  { login: settings, ports }: LoginContext,
  { decide, handle, id }: IssueOrder,
): Promise<TokenResult | 'met-another'> {
  const login = await ports.logins.find(id)
  const nowMs = ports.clock.nowMs()
  if (login === undefined || !isAlive(login, nowMs)) return err(INVALID_GRANT)
  const generation = decide(login, nowMs)
  if (!generation.ok) {
    if (generation.error === 'end') await endLogin(ports, login, 'reuse')
    return err(INVALID_GRANT)
  }
  const key = await readUsableKey(ports, login, nowMs)
  if (key === undefined) return err(INVALID_GRANT)
  const token = makeAccessToken(handle, ports.ids.token(RANDOM_BYTES))
  const { account, proof } = login
  const record = {
    ...toTokenRecord(key, settings, nowMs),
    login: id,
    proof,
    ...(account === undefined ? {} : { account }),
  }
  const tokenHash = hashAccessToken(ports.digests, token)
  const after = advance(login, { generation: generation.value, nowMs, tokenHash })
  const isIssued = await ports.logins.issue({ before: login, after, token: { tokenHash, record } })
  if (!isIssued) return 'met-another'
  if (login.generation === 0) noteStart(ports, login)
  return ok(await toAnswer(ports, { handle, token, record, after, nowMs }))
}

/** Ends the login and its tokens, and says so in the log. */
export async function endLogin(
  { log, logins }: Pick<LoginNeeds, 'log' | 'logins'>,
  { id, uid }: Login,
  reason: 'reuse' | 'revoked',
): Promise<void> {
  await logins.end(id)
  log.note(reason === 'reuse' ? 'warn' : 'info', 'login-ended', { uid, login: id, reason })
}

function noteStart({ log }: Pick<LoginNeeds, 'log'>, { id, keyHash, uid }: Login): void {
  log.note('info', 'login-created', { uid, login: id, keyId: keyHash })
}

/** The key with its expiry renewed; undefined if the key or its user may no longer call. */
async function readUsableKey(
  { keys, log, logins, profiles }: LoginNeeds,
  { keyHash, uid }: Login,
  nowMs: number,
): Promise<KeyRecord | undefined> {
  const [key, profile] = await Promise.all([logins.findKey(keyHash), profiles.read(uid)])
  if (key === undefined || key.uid !== uid || isKeyExpired(key, nowMs)) return undefined
  if (profile === undefined || profile.disabled !== undefined) return undefined
  if (!mustRenewKey(key, nowMs)) return key
  const renewal = { expiresAtMs: nowMs + KEY_TTL_MS, renewedAtMs: nowMs }
  try {
    await keys.renew({ keyHash, ...renewal, ifRenewedAtMs: key.renewedAtMs })
    return { ...key, ...renewal }
  } catch (cause) {
    log.note('warn', 'key-renewal-failed', { uid }, cause)
    return key
  }
}

/** A token never outlives its key. */
function toTokenRecord(
  key: KeyRecord,
  { tokenLifeMs }: Pick<LoginSettings, 'tokenLifeMs'>,
  nowMs: number,
): KeyRecord {
  const expiresAtMs = Math.min(nowMs + tokenLifeMs, key.expiresAtMs)
  return { ...key, createdAtMs: nowMs, renewedAtMs: nowMs, expiresAtMs }
}

/** A repeated answer has the number that the login already has, and moves no time. */
function advance(
  login: Login,
  next: { readonly generation: number; readonly nowMs: number; readonly tokenHash: string },
): Login {
  const isNew = next.generation !== login.generation
  return {
    ...login,
    generation: next.generation,
    rotatedAtMs: isNew ? next.nowMs : login.rotatedAtMs,
    tokenHashes: [...login.tokenHashes, next.tokenHash].slice(-TOKENS_PER_LOGIN_MAX),
    version: login.version + 1,
  }
}

async function toAnswer(
  { digests, logins }: LoginNeeds,
  issued: {
    readonly handle: string
    readonly token: string
    readonly record: KeyRecord
    readonly after: Login
    readonly nowMs: number
  },
): Promise<TokenAnswer> {
  const { after, handle, nowMs, record, token } = issued
  const secret = await logins.secret()
  const { generation } = after
  return {
    access_token: token,
    token_type: 'Bearer',
    expires_in: Math.floor((record.expiresAtMs - nowMs) / 1000),
    refresh_token: makeRefreshToken(digests, secret, { handle, generation }),
    scope: after.account === true ? `${ALL_SCOPES} ${ACCOUNT_SCOPE}` : ALL_SCOPES,
  }
}

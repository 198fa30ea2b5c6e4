/**
 * The access token of a user's login at an upstream: the stored one while it is valid, and otherwise
 * a new one by the refresh token. Many servers take a refresh token once, and end the login if they
 * see it twice, so a refresh token is claimed before it is sent.
 *
 *   A: claim ✔ ── refresh ── new tokens stored ── call
 *   B, at the same time: claim refused ── reads the store until A's tokens are there ── call
 *   A hears "no": a login without tokens is stored ── A, B and later calls ask the user to log in
 *   A hears nothing: the claim is dropped, and the next call may send the same refresh token
 *   A dies after the claim: nobody sends the token again; from RENEW_STALE_MS on, users are asked
 *   the user logs in meanwhile: the later write stays; both logins are the user's
 *
 * Bound by docs/upstream-credentials.md and ADR 0125. No failure has a token or a text of a server.
 */
import { err, ok, type Result } from '../../errors.ts'
import type { OAuthClient } from '../../ports/oauth-client.ts'
import type { Ports } from '../../ports/ports.ts'
import {
  endLogin,
  isFresh,
  type LoginTokens,
  readLoginTokens,
  withTokens,
  writeLoginTokens,
} from '../../secrets/login-tokens.ts'
import type { FoundSecret } from '../../secrets/secret.ts'
import { readBinding, type SecretBinding } from '../../secrets/secret-binding.ts'
import { storeSecret } from '../users/manage-secrets.ts'
import type { LoadedSecrets, Secrets, SecretsFailure } from './loaded-secrets.ts'
import { type OpenNeeds, openSecret, type SecretsWanted, toMissingFailure } from './open-secret.ts'

export type RenewNeeds = OpenNeeds &
  Pick<Ports, 'clock' | 'digests' | 'idempotencyRecords' | 'ids'> & {
    readonly oauthClient: Pick<OAuthClient, 'refresh'>
    readonly secrets: Pick<Ports['secrets'], 'find' | 'put'>
    readonly secretSeals: Pick<Ports['secretSeals'], 'open' | 'seal'>
  }

/** How long a call waits for the process that renews its login, and how often it looks. */
export const RENEW_WAIT_MS = 5_000
const RENEW_PAUSE_MS = 200
/** A refresh takes OAUTH_WAIT_MS at most, so a claim of this age has been left behind. */
export const RENEW_STALE_MS = 15_000

type Found = { readonly secret: FoundSecret; readonly text: string }
type Token = Result<string, SecretsFailure>
type LoginOf = SecretsWanted & { readonly refused?: string | undefined }

/** `text` is the opened secret. Fails with `secret_missing` if the user must log in. */
export async function toAccessToken(
  ports: RenewNeeds,
  wanted: LoginOf,
  { secret, text }: Found,
): Promise<Token> {
  const login = readLoginTokens(text)
  if (login === undefined) return failMissing(wanted)
  const isUsable = isFresh(login, ports.clock.nowMs()) && login.accessToken !== wanted.refused
  if (isUsable) return ok(login.accessToken)
  const binding = readBinding(secret.binding)
  const { refreshToken } = login
  if (refreshToken === undefined || binding === undefined) return findNewer(ports, wanted)
  return renew(ports, wanted, { login, refreshToken, binding })
}

/** Returns the values of a call whose upstream refused its access token, with a new one. */
export async function renewRefused(
  ports: RenewNeeds,
  wanted: SecretsWanted,
  { stored, values }: LoadedSecrets,
): Promise<Result<Secrets, SecretsFailure>> {
  const name = wanted.login?.name ?? ''
  const secret = stored.find((one) => one.name === name)
  const opened = secret && (await openSecret(ports, wanted, secret))
  if (secret === undefined || opened?.ok !== true) return failMissing(wanted)
  const found = { secret, text: opened.value }
  const token = await toAccessToken(ports, { ...wanted, refused: values.get(name) }, found)
  return token.ok ? ok(new Map([...values, [name, token.value]])) : token
}

/** The user may have logged in again, in another process, since this one read the login. */
async function findNewer(ports: RenewNeeds, wanted: LoginOf): Promise<Token> {
  const login = await readStored(ports, wanted)
  const isNewer = login !== undefined && login.accessToken !== wanted.refused
  return isNewer && isFresh(login, ports.clock.nowMs())
    ? ok(login.accessToken)
    : failMissing(wanted)
}

type Renewable = {
  readonly login: LoginTokens
  readonly refreshToken: string
  readonly binding: SecretBinding
}

async function renew(ports: RenewNeeds, wanted: LoginOf, renewable: Renewable): Promise<Token> {
  const { clock, digests, idempotencyRecords, ids, log } = ports
  const { login, refreshToken } = renewable
  const { skillId, uid } = wanted
  const id = digests.sha256(`login-refresh\n${uid}\n${wanted.login?.name}\n${refreshToken}`)
  const writeToken = ids.token(16)
  const claimed = await idempotencyRecords.claim({
    id,
    bodyHash: id,
    sealingKeyHash: id,
    uid,
    callId: writeToken,
    writeToken,
    claimedAtMs: clock.nowMs(),
  })
  if (claimed.kind === 'standing') {
    return waitForOther(ports, wanted, login, claimed.answer.claimedAtMs)
  }
  const { clientId, issuer, tokenEndpoint } = login
  const server = { issuer, tokenEndpoint, sendsIssuer: false }
  const grant = { server, clientId, resource: wanted.login?.resource ?? '', uid }
  const renewed = await ports.oauthClient.refresh(grant, refreshToken)
  if (!renewed.ok && renewed.error.kind === 'unreachable') {
    await idempotencyRecords.drop({ id, writeToken })
    log.note('warn', 'login-not-renewed', { uid, skillId, why: renewed.error.kind })
    return err({ code: 'secret_unreadable', detail: NOT_RENEWED })
  }
  if (!renewed.ok) log.note('info', 'login-not-renewed', { uid, skillId, why: 'refused' })
  const after = renewed.ok ? withTokens(login, renewed.value, clock.nowMs()) : endLogin(login)
  await keep(ports, wanted, { after, binding: renewable.binding })
  return renewed.ok ? ok(renewed.value.accessToken) : failMissing(wanted)
}

/** Never throws: the call has its token, and only later calls miss it. */
async function keep(
  ports: RenewNeeds,
  { login, skillId, uid }: LoginOf,
  { after, binding }: { readonly after: LoginTokens; readonly binding: SecretBinding },
): Promise<void> {
  const name = login?.name ?? ''
  const secret = { uid, name, skillId: undefined, value: writeLoginTokens(after), bound: binding }
  try {
    const stored = await storeSecret(ports, secret)
    if (!stored.ok) ports.log.note('error', 'login-not-kept', { uid, skillId })
  } catch (cause) {
    ports.log.note('error', 'login-not-kept', { uid, skillId }, cause)
  }
}

async function waitForOther(
  ports: RenewNeeds,
  wanted: LoginOf,
  before: LoginTokens,
  claimedAtMs: number,
): Promise<Token> {
  const { clock } = ports
  const untilMs = clock.nowMs() + RENEW_WAIT_MS
  for (;;) {
    const login = await readStored(ports, wanted)
    if (login !== undefined && login.accessToken !== before.accessToken) {
      return isFresh(login, clock.nowMs()) ? ok(login.accessToken) : failMissing(wanted)
    }
    const nowMs = clock.nowMs()
    if (nowMs >= claimedAtMs + RENEW_STALE_MS) return failMissing(wanted)
    if (nowMs >= untilMs) return err({ code: 'secret_unreadable', detail: NOT_RENEWED })
    await clock.sleep(RENEW_PAUSE_MS)
  }
}

async function readStored(ports: RenewNeeds, wanted: LoginOf): Promise<LoginTokens | undefined> {
  const { login, skillId, uid } = wanted
  const name = login?.name ?? ''
  const found = await ports.secrets.find({ uid, skillId, names: [name], isFresh: true })
  const secret = found.find((one) => readBinding(one.binding)?.login === login?.resource)
  const opened = secret && (await openSecret(ports, wanted, secret))
  return opened?.ok === true ? readLoginTokens(opened.value) : undefined
}

function failMissing(wanted: SecretsWanted): Result<never, SecretsFailure> {
  return err(toMissingFailure([wanted.login?.name ?? '']))
}

const NOT_RENEWED =
  "The user's login at the service could not be renewed, since its authorization server did not answer in time. Nothing was sent to the service. Try again in a moment."

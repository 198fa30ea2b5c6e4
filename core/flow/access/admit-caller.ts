/**
 * Turns the Authorization header of a request into a credential, at the door. The text of the
 * header stays in this file. Bound by docs/service.md, Tokens of issuers, and ADR 0116.
 *
 *   own form (sgk_, sgs_, sgt_) ─▶ credential, without waiting
 *   other form ─▶ issuers? ─ none ──────────────────▶ perhaps a key of the earlier service
 *                     ├─ opaque, over the limit of unknown tokens ──▶ 429, and no issuer is asked
 *                     └─▶ verify ─▶ not a token ────▶ perhaps a key of the earlier service
 *                            ├─▶ refused ─ JWT ─────▶ 401
 *                            │        └─ opaque ────▶ perhaps a key of the earlier service
 *                            ├─▶ no answer ─ opaque ▶ the same, or 503
 *                            └─▶ scopes ─▶ none ────▶ 403
 *                                   └─▶ identity ───▶ credential
 */
import { readAuthorization } from '../../access/api-key.ts'
import { type Credential, type KeyCredential, readCredential } from '../../access/credential.ts'
import { toNetwork } from '../../access/network.ts'
import { err, Fault, ok, type Refusal, type Result } from '../../errors.ts'
import { ALL_SCOPES, readToolAccess } from '../../login/token-scopes.ts'
import type { VerifiedToken } from '../../ports/issuers.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import { admitIdentity } from './admit-identity.ts'
import { type AdmitTokenNeeds, admitToken } from './admit-token.ts'
import { logRefusedKey } from './authenticate.ts'
import { type StoreWait, startStoreWait } from './store-wait.ts'
import type { V0Lookups } from './v0-lookups.ts'

export type AdmitCallerNeeds = Parameters<typeof admitIdentity>[0] &
  AdmitTokenNeeds &
  Pick<Ports, 'tokenVerifier'>

/** What a door admits callers with. */
export type Admitting = {
  readonly ports: AdmitCallerNeeds
  readonly settings: Pick<Settings, 'issuers'>
  readonly lookups: V0Lookups
}

export type SentHeader = {
  /** The Authorization header; undefined if the request has none. */
  readonly authorization: string | undefined
  /** The address that the request came from. */
  readonly address: string
}

/** The token is of the form of an issuer's, and is not one, has ended, or is for another resource. */
const NOT_ACCEPTED: Refusal = {
  code: 'unauthenticated',
  detail:
    'Authorization: this access token is not accepted: it has expired, or was not issued for this gateway. Log in again.',
}

const NO_SCOPE: Refusal = {
  code: 'insufficient_scope',
  detail: `Authorization: your access token has none of the scopes ${ALL_SCOPES}. Log in again and allow them. If the login does not offer them, ask its administrator to define them there.`,
}

/**
 * Returns the credential, which the store may still not know. Refuses with `unauthenticated`,
 * `insufficient_scope`, `rate_limited`, or what {@link admitIdentity} refuses with, and logs the
 * refusal. Throws `Fault('issuer_unavailable')` if an issuer is needed and does not answer, and
 * `Fault('store_unavailable')` if the store does not answer in the time of `wait`, which starts
 * again when the issuer has answered. A key of the gateway's own form is admitted without waiting.
 */
export function admitCaller(
  admitting: Admitting,
  { address, authorization }: SentHeader,
  wait = startStoreWait(admitting.ports.clock),
): Promise<Result<Credential>> | Result<Credential> {
  const { lookups, ports, settings } = admitting
  const credential = readCredential(ports.digests, authorization)
  if (credential.kind !== 'key' || credential.form !== 'foreign') return ok(credential)
  const sent = readAuthorization(authorization)
  const asKey = async () => {
    const refusal = await admitToken(ports, lookups, { address, credential }, wait)
    if (refusal === undefined) return ok(credential)
    const reason = refusal.code === 'rate_limited' ? 'limited' : 'unknown'
    logRefusedKey(ports, credential, reason)
    return err(refusal)
  }
  if (settings.issuers.length === 0 || sent.kind !== 'bearer') return asKey()
  const issued = { token: sent.token, credential, asKey }
  if (!ports.tokenVerifier.asksIssuer(sent.token)) return admitJwt(ports, issued, wait)
  return admitOpaque(ports, { ...issued, address, lookups }, wait)
}

async function admitJwt(
  ports: AdmitCallerNeeds,
  { asKey, credential, token }: Issued,
  wait: StoreWait,
): Promise<Result<Credential>> {
  const verification = await ports.tokenVerifier.verify(token, 'agent')
  wait.renew()
  switch (verification.kind) {
    case 'not_a_token':
      return asKey()
    case 'refused':
      return refuseToken(ports, credential, verification.reason)
    case 'verified':
      return admitVerified(ports, verification.token, wait)
    default:
      return verification satisfies never
  }
}

/**
 * Each new text costs the issuer a request. So a network with too many unknown ones gets no further
 * one asked about, except those that were good before in this environment. Texts about which the
 * issuer gave no answer count as unknown, because it may be the flood that silences the issuer.
 */
async function admitOpaque(
  ports: AdmitCallerNeeds,
  { address, asKey, credential, lookups, token }: Opaque,
  wait: StoreWait,
): Promise<Result<Credential>> {
  // An entry of its own: as a key of the earlier service the text is still unknown.
  const keyHash = `issued#${credential.id}`
  const sent = { keyHash, network: toNetwork(address), nowMs: ports.clock.nowMs() }
  // A known key of the earlier service is not stopped either.
  if (lookups.judge(sent) === 'limited') return asOpaque(asKey)
  try {
    const verification = await ports.tokenVerifier.verify(token, 'agent')
    wait.renew()
    if (verification.kind !== 'verified') return await asOpaque(asKey)
    lookups.found(sent)
    return await admitVerified(ports, verification.token, wait)
  } catch (cause) {
    if (!(cause instanceof Fault) || cause.code !== 'issuer_unavailable') throw cause
    wait.renew()
    const asked = await asKey()
    if (asked.ok || asked.error.code === 'rate_limited') return asked
    throw cause
  }
}

function refuseToken(
  ports: AdmitCallerNeeds,
  credential: Credential,
  reason: string,
): Result<Credential> {
  logRefusedKey(ports, credential, reason)
  return err(NOT_ACCEPTED)
}

/**
 * An issuer that is asked about each token refuses any other text, so a key of the earlier service
 * gets here too. Unknown tokens are counted with the unknown keys.
 */
async function asOpaque(asKey: Issued['asKey']): Promise<Result<Credential>> {
  const asked = await asKey()
  return asked.ok || asked.error.code === 'rate_limited' ? asked : err(NOT_ACCEPTED)
}

type Issued = {
  readonly token: string
  readonly credential: KeyCredential
  readonly asKey: () => Promise<Result<Credential>>
}

type Opaque = Issued & Pick<Admitting, 'lookups'> & Pick<SentHeader, 'address'>

async function admitVerified(
  ports: AdmitCallerNeeds,
  token: VerifiedToken,
  wait: StoreWait,
): Promise<Result<Credential>> {
  const access = readToolAccess(token.scopes)
  const admitted =
    access === 'none' ? err(NO_SCOPE) : await wait.within(() => admitIdentity(ports, token))
  if (!admitted.ok) {
    ports.log.note('info', 'key-refused', { reason: admitted.error.code })
    return admitted
  }
  return ok({ ...admitted.value, mayCall: access === 'call' })
}

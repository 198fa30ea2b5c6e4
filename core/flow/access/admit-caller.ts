/**
 * Turns the Authorization header of a request into a credential, at the door. The text of the
 * header stays in this file and admit-issued.ts, but for the token that a token exchange needs. Bound by docs/service.md, Tokens of issuers, and
 * ADR 0116.
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
import { type Credential, readCredential } from '../../access/credential.ts'
import { loadOnce } from '../../cache/load-once.ts'
import { err, ok, type Result } from '../../errors.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import type { AdmitIssuedNeeds } from './admit-issued.ts'
import { type AdmitTokenNeeds, admitToken } from './admit-token.ts'
import { logRefusedKey } from './authenticate.ts'
import { startStoreWait } from './store-wait.ts'
import type { V0Lookups } from './v0-lookups.ts'

export type AdmitCallerNeeds = AdmitIssuedNeeds & AdmitTokenNeeds & Pick<Ports, 'clock' | 'log'>

// Only a token of an issuer needs this code, so no start of a function loads it.
const loadIssued = loadOnce(() => import('./admit-issued.ts'))

/**
 * The token of an issuer that an admitted caller has sent; undefined for every other credential. It
 * is for the calls of this request alone: no session, task, message, record or log may have it.
 */
export function readCallerToken(
  credential: Credential,
  authorization: string | undefined,
): string | undefined {
  if (credential.kind !== 'key' || credential.form !== 'identity') return undefined
  const sent = readAuthorization(authorization)
  return sent.kind === 'bearer' ? sent.token : undefined
}

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

/**
 * Returns the credential, which the store may still not know. Refuses with `unauthenticated`,
 * `insufficient_scope`, `rate_limited`, or what `admitIdentity` refuses with, and logs the
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
  const issued = { token: sent.token, credential, asKey, address, lookups }
  return loadIssued().then(({ admitIssued }) => admitIssued(ports, issued, wait))
}

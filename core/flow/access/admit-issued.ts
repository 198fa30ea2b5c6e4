/**
 * Admits the bearer of a token that an issuer may have made (admit-caller.ts). A file of its own,
 * because only gateways with issuers load it. Bound by docs/service.md, Tokens of issuers, and ADR
 * 0116.
 */
import type { Credential, KeyCredential } from '../../access/credential.ts'
import { toNetwork } from '../../access/network.ts'
import { err, Fault, ok, type Refusal, type Result } from '../../errors.ts'
import { ALL_SCOPES, hasAccountScope, readToolAccess } from '../../login/token-scopes.ts'
import type { VerifiedToken } from '../../ports/issuers.ts'
import type { Ports } from '../../ports/ports.ts'
import { admitIdentity } from './admit-identity.ts'
import { logRefusedKey } from './authenticate.ts'
import type { StoreWait } from './store-wait.ts'
import type { V0Lookups } from './v0-lookups.ts'

export type AdmitIssuedNeeds = Parameters<typeof admitIdentity>[0] &
  Parameters<typeof logRefusedKey>[0] &
  Pick<Ports, 'clock' | 'log' | 'tokenVerifier'>

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
 * Returns the credential of the identity, or what `asKey` answers for a text that is no token.
 * Refuses and throws as `admitCaller` does.
 */
export function admitIssued(
  ports: AdmitIssuedNeeds,
  issued: Issued,
  wait: StoreWait,
): Promise<Result<Credential>> {
  const admit = ports.tokenVerifier.asksIssuer(issued.token) ? admitOpaque : admitJwt
  return admit(ports, issued, wait)
}

async function admitJwt(
  ports: AdmitIssuedNeeds,
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
  ports: AdmitIssuedNeeds,
  { address, asKey, credential, lookups, token }: Issued,
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
  ports: AdmitIssuedNeeds,
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
  /** The address that the request came from. */
  readonly address: string
  readonly lookups: V0Lookups
}

async function admitVerified(
  ports: AdmitIssuedNeeds,
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
  return ok({
    ...admitted.value,
    mayCall: access === 'call',
    ...(hasAccountScope(token.scopes) ? { managesAccount: true } : {}),
  })
}

/**
 * Admits the bearer of a token that an issuer may have made (admit-caller.ts). A file of its own,
 * because only gateways with issuers load it. Bound by docs/service.md, Tokens of issuers, and ADR
 * 0116.
 */
import type { Credential } from '../../access/credential.ts'
import { err, ok, type Refusal, type Result } from '../../errors.ts'
import { ALL_SCOPES, readToolAccess } from '../../login/token-scopes.ts'
import type { VerifiedToken } from '../../ports/issuers.ts'
import type { Ports } from '../../ports/ports.ts'
import { admitIdentity } from './admit-identity.ts'
import { logRefusedKey } from './authenticate.ts'
import type { StoreWait } from './store-wait.ts'

export type AdmitIssuedNeeds = Parameters<typeof admitIdentity>[0] &
  Parameters<typeof logRefusedKey>[0] &
  Pick<Ports, 'log' | 'tokenVerifier'>

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
export async function admitIssued(
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
      return isJwt(token) ? refuseToken(ports, credential, verification.reason) : asOpaque(asKey)
    case 'verified':
      return admitVerified(ports, verification.token, wait)
    default:
      return verification satisfies never
  }
}

/** A JSON Web Token in its usual form (RFC 7515 section 3.1). No other token can be one. */
function isJwt(token: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)
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
  readonly credential: Credential
  readonly asKey: () => Promise<Result<Credential>>
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
  return ok({ ...admitted.value, mayCall: access === 'call' })
}

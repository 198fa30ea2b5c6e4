/**
 * The verifier of tokens of issuers on AWS, for the functions that make calls. They share the keys
 * of issuers through the store.
 */
import { makeLateTokenVerifier } from '../../adapters/issuers/late-verifier.ts'
import { makeLateIssuerSecretReader } from '../../adapters/secrets/late-issuer-secrets.ts'
import type { TokenVerifier } from '../../core/ports/issuers.ts'
import type { Ports } from '../../core/ports/ports.ts'
import type { Settings } from '../../core/settings.ts'

type Needs = Pick<Ports, 'clock' | 'digests' | 'issuerKeys' | 'log' | 'upstream'>

export function createTokenVerifier(
  { issuerKeys, ...ports }: Needs,
  { issuers }: Pick<Settings, 'issuers'>,
): TokenVerifier {
  const readSecret = makeLateIssuerSecretReader({
    clock: ports.clock,
    onStale: (cause) => ports.log.note('error', 'issuer-secret-stale', {}, cause),
  })
  return makeLateTokenVerifier({
    ...ports,
    issuers,
    readClientSecret: ({ clientSecret }) => readSecret(clientSecret),
    stored: {
      read: (id) => issuerKeys.read(id),
      put: (id, stored) => issuerKeys.put(id, stored),
    },
  })
}

/**
 * The verifier of tokens of issuers on AWS, for streams. It reads the keys that the functions with
 * calls have stored, and stores none. The connections to issuers are opened with the first fetch.
 */
import { makeLateTokenVerifier } from '../../adapters/issuers/late-verifier.ts'
import { makeLateIssuerSecretReader } from '../../adapters/secrets/late-issuer-secrets.ts'
import { makeLatePort } from '../../core/cache/late-port.ts'
import { loadOnce } from '../../core/cache/load-once.ts'
import type { TokenVerifier } from '../../core/ports/issuers.ts'
import type { Upstream } from '../../core/ports/outside.ts'
import type { Ports } from '../../core/ports/ports.ts'
import type { Settings } from '../../core/settings.ts'

type Needs = Pick<Ports, 'clock' | 'digests' | 'issuerKeys' | 'log'>

export function createTokenVerifier(
  { issuerKeys, ...ports }: Needs,
  { issuers, outboundAllow }: Pick<Settings, 'issuers' | 'outboundAllow'>,
): TokenVerifier {
  const readSecret = makeLateIssuerSecretReader({
    clock: ports.clock,
    onStale: (cause) => ports.log.note('error', 'issuer-secret-stale', {}, cause),
  })
  return makeLateTokenVerifier({
    ...ports,
    issuers,
    readClientSecret: ({ clientSecret }) => readSecret(clientSecret),
    stored: { read: (id) => issuerKeys.read(id) },
    upstream: makeLatePort<Upstream>(
      loadOnce(async () => {
        const { httpUpstream } = await import('../../adapters/upstream/http-upstream.ts')
        return httpUpstream({ outboundAllow })
      }),
    ),
  })
}

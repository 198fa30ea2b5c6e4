/**
 * The verifier of tokens of issuers on AWS, for administrators and for users who see their
 * accounts. It fetches the keys of issuers itself and trusts none from the store: whoever could
 * write there, such as a function that agents reach, could otherwise become an administrator.
 */
import { makeLateTokenVerifier } from '../../adapters/issuers/late-verifier.ts'
import { makeIssuerSecretReader } from '../../adapters/secrets/issuer-secrets.ts'
import { makeLatePort } from '../../core/cache/late-port.ts'
import { loadOnce } from '../../core/cache/load-once.ts'
import type { TokenVerifier } from '../../core/ports/issuers.ts'
import type { Upstream } from '../../core/ports/outside.ts'
import type { Ports } from '../../core/ports/ports.ts'
import type { Settings } from '../../core/settings.ts'

type Needs = Pick<Ports, 'clock' | 'digests' | 'log'>

/** The requests to issuers, whose code loads with the first of them. */
export function openIssuerUpstream({ outboundAllow }: Pick<Settings, 'outboundAllow'>): Upstream {
  return makeLatePort<Upstream>(
    loadOnce(async () => {
      const { httpUpstream } = await import('../../adapters/upstream/http-upstream.ts')
      return httpUpstream({ outboundAllow })
    }),
  )
}

export function createTokenVerifier(
  ports: Needs,
  { issuers }: Pick<Settings, 'issuers'>,
  upstream: Upstream,
): TokenVerifier {
  const readSecret = makeIssuerSecretReader({
    clock: ports.clock,
    onStale: (cause) => ports.log.note('error', 'issuer-secret-stale', {}, cause),
  })
  return makeLateTokenVerifier({
    ...ports,
    issuers,
    readClientSecret: ({ clientSecret }) => readSecret(clientSecret),
    upstream,
  })
}

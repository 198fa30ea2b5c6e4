/**
 * A verifier that is opened with the first token that an issuer may have made. A start of a
 * function, and a gateway without issuers, load no code for tokens.
 */
import { loadOnce } from '../../core/cache/load-once.ts'
import type { TokenVerifier } from '../../core/ports/issuers.ts'
import { isIntrospected, mayBeOfIssuer } from './token-form.ts'
import type { VerifierNeeds } from './token-verifier.ts'

export function makeLateTokenVerifier(needs: VerifierNeeds): TokenVerifier {
  const load = loadOnce(async () => {
    const { makeTokenVerifier } = await import('./token-verifier.ts')
    return makeTokenVerifier(needs)
  })
  return {
    asksIssuer: (token) => isIntrospected(needs.issuers, token),
    verify: async (token, use) =>
      mayBeOfIssuer(needs.issuers, token)
        ? (await load()).verify(token, use)
        : { kind: 'not_a_token' },
  }
}

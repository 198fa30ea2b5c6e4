/**
 * Verifies tokens of the configured issuers. A token's own `iss` only selects among them. Each
 * issuer has keys of its own. Only late-verifier.ts loads this file, and with it jose.
 */
import { Fault } from '../../core/errors.ts'
import type { Issuer } from '../../core/issuers/issuer.ts'
import type { TokenUse, TokenVerifier, Verification } from '../../core/ports/issuers.ts'
import { type IntrospectionNeeds, introspect } from './introspect.ts'
import { type IssuerKeysNeeds, makeIssuerKeys } from './issuer-keys.ts'
import { refuseToken } from './judge-claims.ts'
import { findIntrospecting, isIntrospected, readTokenForm, type TokenForm } from './token-form.ts'
import { type Kept, makeVerificationCache } from './verification-cache.ts'
import { verifyJwt } from './verify-jwt.ts'

/** A token that its issuer takes back still works for this time. */
export const VERIFIED_MS = 60_000
/** The same for opaque tokens: they are asked about because they can be taken back. */
export const INTROSPECTED_MS = 30_000
/** A client that sends a bad token again costs nothing for this time. */
export const REFUSED_MS = 30_000

export type VerifierNeeds = IssuerKeysNeeds &
  IntrospectionNeeds & { readonly issuers: readonly Issuer[] }

export function makeTokenVerifier(needs: VerifierNeeds): TokenVerifier {
  const { clock, digests, issuers } = needs
  const cache = makeVerificationCache(() => clock.nowMs())
  const keys = new Map(issuers.map((issuer) => [issuer.issuer, makeIssuerKeys(issuer, needs)]))

  const check = async (token: string, use: TokenUse, form: Jwt): Promise<Verification> => {
    const issuer = issuers.find((one) => one.issuer === form.claims['iss'])
    const findKey = issuer === undefined ? undefined : keys.get(issuer.issuer)
    if (issuer === undefined || findKey === undefined) return refuseToken('iss')
    if (!isFor(use, issuer)) return refuseToken('use')
    return verifyJwt(token, { issuer, findKey, use, nowMs: clock.nowMs(), header: form.header })
  }
  const ask = (token: string, use: TokenUse) =>
    askAll(
      findIntrospecting(issuers).filter((issuer) => isFor(use, issuer)),
      (issuer) => introspect(needs, token, { issuer, use, nowMs: clock.nowMs() }),
    )
  return {
    asksIssuer: (token) => isIntrospected(issuers, token),
    verify: async (token, use) => {
      const form = readTokenForm(token)
      if (form.kind === 'other') return { kind: 'not_a_token' }
      if (form.kind === 'opaque' && findIntrospecting(issuers).length === 0) {
        return { kind: 'not_a_token' }
      }
      return cache.get(`${use} ${digests.sha256(token)}`, async () => {
        const [verification, verifiedMs] =
          form.kind === 'jwt'
            ? [await check(token, use, form), VERIFIED_MS]
            : [await ask(token, use), INTROSPECTED_MS]
        return toKept(verification, clock.nowMs(), verifiedMs)
      })
    },
  }
}

type Jwt = Extract<TokenForm, { kind: 'jwt' }>

/** The first issuer that knows the token decides. One that does not answer may be the one. */
async function askAll<I>(
  issuers: readonly I[],
  ask: (issuer: I) => Promise<Verification>,
): Promise<Verification> {
  let last: Verification = refuseToken('inactive')
  let failure: Fault | undefined
  for (const issuer of issuers) {
    try {
      last = await ask(issuer)
      if (last.kind === 'verified') return last
    } catch (cause) {
      if (!(cause instanceof Fault)) throw cause
      failure = cause
    }
  }
  if (failure !== undefined) throw failure
  return last
}

function isFor(use: TokenUse, issuer: Issuer): boolean {
  return use === 'agent' || issuer.admin !== undefined
}

/** A good verification is not kept beyond the end of its token. */
function toKept(verification: Verification, nowMs: number, verifiedMs: number): Kept {
  const untilMs =
    verification.kind === 'verified'
      ? Math.min(verification.token.expiresAtMs, nowMs + verifiedMs)
      : nowMs + REFUSED_MS
  return { verification, untilMs }
}

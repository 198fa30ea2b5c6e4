/** The tokens of a sign-in, in memory alone, and their renewal through the gateway. */
import { ApiError } from '../api/client.ts'
import { askSignIn, type Tokens, type Way } from './redirect-state.ts'
import { type Credential, signOut } from './session.ts'

/** A token is renewed this long before it ends, so that no request meets its end. */
const SPARE_MS = 30_000
/** For an issuer that does not say how long its tokens live. */
const LIFE_SEC = 300

/**
 * Makes the credential of a sign-in. Requests at once wait for one renewal, because many issuers end
 * a sign-in whose refresh token comes twice.
 */
export function openTokens(way: Way, first: Tokens): Credential {
  let { accessToken, refreshToken } = first
  let dueAtMs = toDue(first)
  let renewal: Promise<void> | undefined
  const renew = async () => {
    try {
      const next = await askSignIn<Tokens>('tokens', way, { refreshToken })
      accessToken = next.accessToken
      refreshToken = next.refreshToken ?? refreshToken
      dueAtMs = toDue(next)
    } catch (cause) {
      // Only a refusal ends the session: a network that fails may be back at once.
      if (cause instanceof ApiError && cause.status === 401)
        signOut('Your sign-in has ended. Sign in again.')
      throw cause
    } finally {
      renewal = undefined
    }
  }
  return {
    headers: async () => {
      if (refreshToken !== undefined && Date.now() >= dueAtMs) {
        renewal ??= renew()
        await renewal
      }
      return { Authorization: `Bearer ${accessToken}` }
    },
    end: () => {
      askSignIn('end', way, { token: refreshToken ?? accessToken }).catch(() => {})
    },
  }
}

function toDue({ expiresInSec = LIFE_SEC }: Tokens): number {
  return Date.now() + expiresInSec * 1000 - Math.min(SPARE_MS, expiresInSec * 500)
}

/**
 * Access tokens in the memory of one environment: bounded in count and time, one flight per key, and
 * renewed early. Never a source of truth, lost with the process. Sends nothing itself.
 *
 *   0 ────────────── 80 % ────────── 100 %
 *     the token held │ the same, and  │ wait for a new one
 *                    │ one asks beside│
 *
 * Many at once: the first asks, the others wait for its flight. If the first is cut, its flight ends
 * as `cut` and one of those who wait asks in its place: nobody's leaving fails another's call.
 */
import { err, ok, type Result } from '../../core/errors.ts'
import type { Clock, HookFailure } from '../../core/ports.ts'
import { unlessAborted } from './unless-aborted.ts'

/** Users times skills that one environment serves in an hour; about 2 kB each. */
export const TOKENS_MAX = 1_000
/** From here on a new token is asked for while the old one still serves. */
const RENEW_AFTER = 0.8
/** After a renewal that failed: the token held is good, so there is no hurry. */
const RENEW_PAUSE_MS = 30_000

export type FetchedToken = {
  readonly token: string
  /** From when it was asked for; 0: good for this once. */
  readonly lifeMs: number
}
/** `cut`: whoever asked left. */
export type TokenResult<T = FetchedToken> = Result<T, HookFailure | 'cut'>

export type TokenCache = {
  /** `fetch` never rejects, and answers `cut` soon after `signal` aborts. */
  get(
    key: string,
    fetch: () => Promise<TokenResult>,
    signal: AbortSignal,
  ): Promise<TokenResult<string>>
  /** Forgets it, unless another one has taken its place. */
  drop(key: string, token: string): void
}

const CUT: TokenResult = err('cut')

type HeldToken = {
  readonly token: string
  readonly untilMs: number
  renewAtMs: number
}

export function tokenCache(clock: Clock): TokenCache {
  const held = new Map<string, HeldToken>()
  const flights = new Map<string, Promise<TokenResult>>()

  const keep = (key: string, { lifeMs, token }: FetchedToken, fromMs: number) => {
    if (fromMs + lifeMs <= clock.nowMs()) return
    const renewAtMs = fromMs + lifeMs * RENEW_AFTER
    moveToEnd(held, key, { token, untilMs: fromMs + lifeMs, renewAtMs })
  }
  const ask = async (key: string, fetch: () => Promise<TokenResult>): Promise<TokenResult> => {
    const fromMs = clock.nowMs()
    try {
      const fetched = await fetch()
      if (fetched.ok) keep(key, fetched.value, fromMs)
      return fetched
    } finally {
      flights.delete(key)
    }
  }
  const fly = (key: string, fetch: () => Promise<TokenResult>): Promise<TokenResult> => {
    const flight = ask(key, fetch)
    flights.set(key, flight)
    return flight
  }
  const renew = async (key: string, token: HeldToken, fetch: () => Promise<TokenResult>) => {
    const fetched = await fly(key, fetch)
    if (!fetched.ok && fetched.error !== 'cut') token.renewAtMs = clock.nowMs() + RENEW_PAUSE_MS
  }
  /** Of a token that still serves; starts its renewal when it is time. */
  const serving = (key: string, fetch: () => Promise<TokenResult>): string | undefined => {
    const token = held.get(key)
    if (token === undefined || clock.nowMs() >= token.untilMs) return undefined
    moveToEnd(held, key, token)
    if (clock.nowMs() >= token.renewAtMs && !flights.has(key)) void renew(key, token, fetch)
    return token.token
  }
  return {
    get: async (key, fetch, signal) => {
      const token = serving(key, fetch)
      if (token !== undefined) return ok(token)
      for (;;) {
        const flight = flights.get(key)
        if (flight === undefined) return tokenOf(await fly(key, fetch))
        const fetched = await unlessAborted(flight, signal, CUT)
        if (fetched.ok || fetched.error !== 'cut' || signal.aborted) return tokenOf(fetched)
      }
    },
    drop: (key, token) => {
      if (held.get(key)?.token === token) held.delete(key)
    },
  }
}

/** A Map keeps the order of insertion: the first is the one used longest ago. */
function moveToEnd(held: Map<string, HeldToken>, key: string, token: HeldToken): void {
  held.delete(key)
  held.set(key, token)
  const [oldest] = held.keys()
  if (held.size > TOKENS_MAX && oldest !== undefined) held.delete(oldest)
}

function tokenOf(fetched: TokenResult): TokenResult<string> {
  return fetched.ok ? ok(fetched.value.token) : fetched
}

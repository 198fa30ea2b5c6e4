/**
 * Access tokens in the memory of one environment: bounded in count and time, one request per key at
 * a time, and renewed early. Never a source of truth, lost with the process. Sends nothing itself.
 *
 *   0 ────────────── 80 % ────────── 100 %
 *     the cached token │ the same, and    │ wait for a new one
 *                      │ renew meanwhile  │
 *
 * Many callers at once: the first one fetches, the others wait for its fetch. If the first is cut,
 * its fetch ends as `cut` and one of those who wait fetches in its place: a caller that leaves
 * never fails another's call.
 */
import { err, ok, type Result } from '../../core/errors.ts'
import type { Clock } from '../../core/ports/outside.ts'
import type { HookFailure } from '../../core/ports/registry.ts'
import { unlessAborted } from './unless-aborted.ts'

/** Users times skills that one environment serves in an hour; about 2 kB each. */
export const TOKENS_MAX = 1_000
/** From this share of its life on, a token is renewed while it still serves. */
const RENEW_AFTER = 0.8
/** The pause after a failed renewal: the cached token is still good, so there is no hurry. */
const RENEW_PAUSE_MS = 30_000

export type FetchedToken = {
  readonly token: string
  /** Counted from the request for the token; 0: good for this call only. */
  readonly lifeMs: number
}
/** `cut`: the caller that fetched has left. */
export type TokenResult<T = FetchedToken> = Result<T, HookFailure | 'cut'>

export type TokenCache = {
  /** `fetch` never rejects, and answers `cut` soon after `signal` aborts. */
  get(
    key: string,
    fetch: () => Promise<TokenResult>,
    signal: AbortSignal,
  ): Promise<TokenResult<string>>
  /** Drops this token, unless another one has taken its place. */
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
  /** A token that still serves; starts its renewal when that is due. */
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

/** A Map keeps the order of insertion: the first entry is the least recently used one. */
function moveToEnd(held: Map<string, HeldToken>, key: string, token: HeldToken): void {
  held.delete(key)
  held.set(key, token)
  const [oldest] = held.keys()
  if (held.size > TOKENS_MAX && oldest !== undefined) held.delete(oldest)
}

function tokenOf(fetched: TokenResult): TokenResult<string> {
  return fetched.ok ? ok(fetched.value.token) : fetched
}

/**
 * Caches access tokens in the memory of this process. Their number and life are bounded, one
 * request per key runs at a time, and tokens are renewed early.
 *
 *   0 ────────────── 80 % ────────── 100 % of a token's life
 *     the cached token │ the same, and a  │ callers wait for
 *                      │ renewal runs     │ a new one
 *
 * Many callers at once: the first one fetches, and the others wait for its fetch. If the first is
 * cut, its fetch ends as `cut` and another waiting caller fetches. So a caller that leaves never
 * fails another's call.
 */
import { err, ok, type Result } from '../../core/errors.ts'
import type { Clock } from '../../core/ports/outside.ts'
import type { HookFailure } from '../../core/ports/registry.ts'
import { waitUnlessAborted } from './unless-aborted.ts'

/** Cached tokens, one for each user and skill of an hour; about 2 kB each. */
export const TOKENS_MAX = 1_000
/** After this share of its life a token is renewed while it is still used. */
const RENEW_AFTER = 0.8
/** Pause after a failed renewal, since the cached token is still valid. */
const RENEW_PAUSE_MS = 30_000

export type FetchedToken = {
  readonly token: string
  /** From the request for the token; 0: valid for this call only. */
  readonly lifeMs: number
}
/** `cut`: the caller that fetched the token has left. */
export type TokenResult<T = FetchedToken> = Result<T, HookFailure | 'cut'>

export type TokenCache = {
  /** `fetch` never rejects, and resolves to `cut` soon after `signal` aborts. */
  get(
    key: string,
    fetch: () => Promise<TokenResult>,
    signal: AbortSignal,
  ): Promise<TokenResult<string>>
  /** Drops this token, unless another one has replaced it. */
  drop(key: string, token: string): void
}

const CUT: TokenResult = err('cut')

type HeldToken = {
  readonly token: string
  readonly untilMs: number
  renewAtMs: number
}

export function makeTokenCache(clock: Clock): TokenCache {
  const held = new Map<string, HeldToken>()
  const fetches = new Map<string, Promise<TokenResult>>()

  const keep = (key: string, { lifeMs, token }: FetchedToken, fromMs: number) => {
    if (fromMs + lifeMs <= clock.nowMs()) return
    const renewAtMs = fromMs + lifeMs * RENEW_AFTER
    moveToEnd(held, key, { token, untilMs: fromMs + lifeMs, renewAtMs })
  }
  const fetchAndKeep = async (
    key: string,
    fetch: () => Promise<TokenResult>,
  ): Promise<TokenResult> => {
    const fromMs = clock.nowMs()
    try {
      const fetched = await fetch()
      if (fetched.ok) keep(key, fetched.value, fromMs)
      return fetched
    } finally {
      fetches.delete(key)
    }
  }
  const startFetch = (key: string, fetch: () => Promise<TokenResult>): Promise<TokenResult> => {
    const running = fetchAndKeep(key, fetch)
    fetches.set(key, running)
    return running
  }
  const renew = async (key: string, token: HeldToken, fetch: () => Promise<TokenResult>) => {
    const fetched = await startFetch(key, fetch)
    if (!fetched.ok && fetched.error !== 'cut') token.renewAtMs = clock.nowMs() + RENEW_PAUSE_MS
  }
  /** The token if it is still valid; starts its renewal if that is due. */
  const findValid = (key: string, fetch: () => Promise<TokenResult>): string | undefined => {
    const token = held.get(key)
    if (token === undefined || clock.nowMs() >= token.untilMs) return undefined
    moveToEnd(held, key, token)
    if (clock.nowMs() >= token.renewAtMs && !fetches.has(key)) void renew(key, token, fetch)
    return token.token
  }
  return {
    get: async (key, fetch, signal) => {
      const token = findValid(key, fetch)
      if (token !== undefined) return ok(token)
      for (;;) {
        const running = fetches.get(key)
        if (running === undefined) return toTokenText(await startFetch(key, fetch))
        const fetched = await waitUnlessAborted(running, signal, CUT)
        if (fetched.ok || fetched.error !== 'cut' || signal.aborted) return toTokenText(fetched)
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

function toTokenText(fetched: TokenResult): TokenResult<string> {
  return fetched.ok ? ok(fetched.value.token) : fetched
}

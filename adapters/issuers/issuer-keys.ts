/**
 * The public keys of one issuer in this process. They are never used for another issuer's tokens.
 *
 *   first token ── stored keys are read ── at most 24 h old? ─ no ─▶ fetched, tokens wait
 *   age of the keys:   0 ────── 10 min ────────── 1 h ─────────────────── 24 h
 *                        used    │ used, fetched   │ fetched, tokens wait;  │ issuer_unavailable
 *                                │ meanwhile       │ used if that fails     │ until they are fetched
 *
 * A token with an unknown key id fetches once more, at most every 30 s, so a flood of such tokens is
 * no flood of requests. Concurrent tokens share a fetch. No fetch fails a token that known keys
 * verify.
 */
import { createLocalJWKSet, errors, type JWK, type JWTVerifyGetKey } from 'jose'
import { err, Fault, type Result } from '../../core/errors.ts'
import type { Issuer } from '../../core/issuers/issuer.ts'
import { isJsonObject } from '../../core/json/json.ts'
import { parseJson } from '../../core/json/parse-json.ts'
import type { IssuerKeys, StoredKeys } from '../../core/ports/issuer-keys.ts'
import type { Clock, Digests, Log } from '../../core/ports/outside.ts'
import { type IssuerRequests, ISSUER_ANSWER_BYTES_MAX } from './fetch-object.ts'
import { fetchKeys, type PublicKeys, readKeys } from './fetch-keys.ts'

/** Issuers announce new keys hours before they sign with them. */
export const KEYS_FRESH_MS = 600_000
/** After this time a token waits for the fetch: a key that the issuer took back must not last. */
export const KEYS_WAITING_MS = 3_600_000
/** How long an issuer's outage goes unnoticed. */
export const KEYS_STALE_MS = 86_400_000
/** Pause between fetches while there are keys: attempts during an outage, unknown key ids. */
export const KEYS_PAUSE_MS = 30_000
/** The same pause while there are none, since every token fails. */
export const NO_KEYS_PAUSE_MS = 5_000

export type IssuerKeysNeeds = IssuerRequests & {
  readonly clock: Clock
  readonly digests: Pick<Digests, 'sha256'>
  readonly log: Log
  /** Absent for a function that must not trust what others stored. */
  readonly stored?: { read: IssuerKeys['read']; put?: IssuerKeys['put'] } | undefined
}

type KnownKeys = { readonly find: JWTVerifyGetKey; readonly fetchedAtMs: number }

/**
 * Finds the key for a token's header. Throws jose's JWKSNoMatchingKey and
 * `Fault('issuer_unavailable')`.
 */
export function makeIssuerKeys(
  issuer: Pick<Issuer, 'issuer' | 'jwksUri'>,
  needs: IssuerKeysNeeds,
): JWTVerifyGetKey {
  const state = openKeyState(issuer, needs)
  return async (header, token) => {
    await state.refresh()
    const keys = state.current()
    try {
      return await keys.find(header, token)
    } catch (cause) {
      if (!(cause instanceof errors.JWKSNoMatchingKey)) throw cause
      const newer = await state.refetch()
      if (newer === undefined || newer === keys) throw cause
      return newer.find(header, token)
    }
  }
}

type KeyState = {
  /** Reads stored keys, or waits for a fetch, if there are no keys of the last hour. */
  refresh(): Promise<void>
  /** Throws `Fault('issuer_unavailable')` if there are no keys of the last 24 h. */
  current(): KnownKeys
  /**
   * The keys after one more fetch, or undefined if the last fetch is too recent. Throws
   * `Fault('issuer_unavailable')` if the last fetch failed: the issuer may have a new key.
   */
  refetch(): Promise<KnownKeys | undefined>
}

function openKeyState(
  issuer: Pick<Issuer, 'issuer' | 'jwksUri'>,
  needs: IssuerKeysNeeds,
): KeyState {
  const { clock } = needs
  const shared = openSharedKeys(issuer, needs)
  let known: KnownKeys | undefined
  let tried: { readonly atMs: number; readonly failed: boolean } | undefined
  let seeding: Promise<void> | undefined
  let fetching: Promise<void> | undefined

  const seed = async () => {
    known ??= await shared.read()
  }
  const fetch = async () => {
    const atMs = clock.nowMs()
    const fetched = await fetchKeys(needs, issuer)
    tried = { atMs, failed: !fetched.ok }
    if (!fetched.ok) return shared.noteFailure(fetched.error)
    known = toKnown(fetched.value, atMs)
    await shared.write(fetched.value, atMs)
  }
  const startFetch = () => {
    fetching ??= fetch().finally(() => {
      fetching = undefined
    })
    return fetching
  }
  const isPaused = (pauseMs: number) =>
    fetching === undefined && tried !== undefined && clock.nowMs() < tried.atMs + pauseMs
  const ageMs = () =>
    known === undefined ? Number.POSITIVE_INFINITY : clock.nowMs() - known.fetchedAtMs
  const refuse = (what: string) =>
    new Fault('issuer_unavailable', `issuer ${issuer.issuer}: ${what} could not be fetched`)

  return {
    refresh: async () => {
      seeding ??= seed()
      await seeding
      if (ageMs() < KEYS_FRESH_MS) return
      if (isPaused(ageMs() < KEYS_STALE_MS ? KEYS_PAUSE_MS : NO_KEYS_PAUSE_MS)) return
      const done = startFetch()
      if (ageMs() >= KEYS_WAITING_MS) await done
    },
    current: () => {
      if (known !== undefined && ageMs() < KEYS_STALE_MS) return known
      throw refuse('its keys')
    },
    refetch: async () => {
      const paused = isPaused(KEYS_PAUSE_MS)
      if (!paused) await startFetch()
      if (tried?.failed === true) throw refuse('a new key')
      return known
    },
  }
}

/** The keys in the store. Trouble with the store is logged: the issuer itself has the keys. */
function openSharedKeys(
  issuer: Pick<Issuer, 'issuer' | 'jwksUri'>,
  { digests, log, stored }: IssuerKeysNeeds,
) {
  const id = toStoredId(digests, issuer)
  const fields = { issuer: new URL(issuer.issuer).host }
  return {
    read: async (): Promise<KnownKeys | undefined> => {
      const record = await stored?.read(id).catch((cause: unknown) => {
        log.note('warn', 'issuer-keys-not-read', fields, cause)
        return undefined
      })
      const keys = record === undefined ? undefined : readStored(record)
      return record !== undefined && keys?.ok ? toKnown(keys.value, record.fetchedAtMs) : undefined
    },
    write: async (keys: PublicKeys, fetchedAtMs: number): Promise<void> => {
      const text = JSON.stringify(keys)
      await stored?.put?.(id, { keys: text, fetchedAtMs }).catch((cause: unknown) => {
        log.note('warn', 'issuer-keys-not-stored', fields, cause)
      })
    },
    noteFailure: (reason: string) =>
      log.note('warn', 'issuer-keys-not-fetched', { ...fields, reason }),
  }
}

/** Keys of another URL are other keys, even of the same issuer. */
function toStoredId(
  { sha256 }: Pick<Digests, 'sha256'>,
  { issuer, jwksUri = '' }: Pick<Issuer, 'issuer' | 'jwksUri'>,
): string {
  return sha256(`${issuer}\n${jwksUri}`)
}

/** Casts, as in parsers: jose checks each member of a key when it uses the key. */
function toKnown(keys: PublicKeys, fetchedAtMs: number): KnownKeys {
  return { find: createLocalJWKSet({ keys: keys.keys.map((key) => key as JWK) }), fetchedAtMs }
}

function readStored({ keys }: StoredKeys): Result<PublicKeys, string> {
  const json = parseJson(keys, { bytesMax: ISSUER_ANSWER_BYTES_MAX })
  return json.ok && isJsonObject(json.value) ? readKeys(json.value) : err('stored: not JSON')
}

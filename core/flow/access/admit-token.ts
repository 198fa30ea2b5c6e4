/**
 * Limits how many tokens without the form of our keys are looked up. Such a token may be a key of
 * the earlier service, in any form, and may be short enough to guess. Unknown ones are counted per
 * minute and network; past the limit no further one is looked up. Bound by docs/service.md, Earlier
 * records, and ADR 0024.
 *
 *   form of our keys? no ─▶ result cached? ─ yes ─▶ found: go on; missing: 401
 *                               └─ no ─▶ over the limit? ─ yes ─▶ 429
 *                                            └─ no ─▶ look up ─▶ found: go on
 *                                                        └─▶ missing: count ─▶ 401
 *
 * Each environment of a door learns that the limit is reached from its own next unknown token. So a
 * network gets one more look-up for each environment.
 */
import type { Credential } from '../../access/credential.ts'
import { V0_UNKNOWN_PER_MINUTE } from '../../access/limits.ts'
import { decideRate, toMinute } from '../../access/minute.ts'
import { toNetwork } from '../../access/network.ts'
import type { Refusal } from '../../errors.ts'
import type { Ports } from '../../ports/ports.ts'
import { NOT_AN_API_KEY } from './authenticate.ts'
import { startStoreWait } from './store-wait.ts'
import type { V0Lookups } from './v0-lookups.ts'

export type AdmitTokenNeeds = Pick<Ports, 'clock' | 'digests' | 'keys' | 'log' | 'rateCounters'>

export type SentToken = {
  readonly credential: Credential
  /** The address that the request came from. */
  readonly address: string
}

/**
 * Returns undefined if the door may go on. The door also goes on if the store does not answer: it
 * then reports the failure itself and waits no longer than `wait` allows. Refuses with
 * `unauthenticated` or `rate_limited`.
 */
export function admitToken(
  ports: AdmitTokenNeeds,
  lookups: V0Lookups,
  { address, credential }: SentToken,
  wait = startStoreWait(ports.clock),
): Promise<Refusal | undefined> | Refusal | undefined {
  if (credential.kind !== 'key' || credential.form !== 'foreign') return undefined
  const token = { keyHash: credential.id, network: toNetwork(address), nowMs: ports.clock.nowMs() }
  switch (lookups.judge(token)) {
    case 'found':
      return undefined
    case 'missing':
      return NOT_AN_API_KEY
    case 'limited':
      return refuseTooMany(token.nowMs)
    default:
      return wait
        .within(() => lookUpKey(ports, lookups, token))
        .catch((cause: unknown) => {
          ports.log.note('warn', 'token-not-counted', {}, cause)
          return undefined
        })
  }
}

async function lookUpKey(
  { digests, keys, log, rateCounters }: AdmitTokenNeeds,
  lookups: V0Lookups,
  token: Parameters<V0Lookups['judge']>[0],
): Promise<Refusal | undefined> {
  if ((await keys.find(token.keyHash)) !== undefined) {
    lookups.found(token)
    return undefined
  }
  lookups.missing(token)
  // The counter's name is a digest, so that no record says which address sent a token.
  const counter = `v0#${digests.sha256(token.network)}`
  const count = await rateCounters.count({ keyHash: counter, minute: toMinute(token.nowMs) })
  if (count < V0_UNKNOWN_PER_MINUTE) return NOT_AN_API_KEY
  lookups.limit(token)
  log.note('warn', 'unknown-tokens-limited', { count })
  return NOT_AN_API_KEY
}

function refuseTooMany(nowMs: number): Refusal {
  const { resetSec } = decideRate({ count: 0, limit: 0, nowMs })
  const detail = `Authorization: this is not a Skillgate API key, and ${V0_UNKNOWN_PER_MINUTE} unknown ones came from this address in this minute. Wait ${resetSec} s, or send a key that begins with sgk_.`
  return { code: 'rate_limited', detail, retryAfterSec: resetSec }
}

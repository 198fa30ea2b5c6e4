/**
 * Compares calls. Two calls are equal if the same API key called the same version of a skill at the
 * same price with the same arguments. A skill with `config.repeat` does not charge the second of
 * two equal calls, because a client that lost the first answer repeats the call. This file only
 * compares; core/flow/execute/forgive-repeat.ts reads and writes. Bound by docs/service.md, Equal
 * calls.
 */
import type { JsonObject } from '../json/json.ts'
import { stableText } from '../json/stable-text.ts'
import type { SkillSource } from '../skills/skill.ts'
import type { MicroCredits, Outcome } from './ledger.ts'

/**
 * Number of the user's outcomes that are read to find an equal call. A user who makes more calls
 * between two equal ones pays for both.
 */
export const EQUAL_CALLS_READ_MAX = 20

/** 132 bits of the digest: enough that two different calls of one user never collide by chance. */
const FINGERPRINT_CHARS = 22

/**
 * Returns a text that is the same for equal calls. `sha256` is `Digests.sha256`. The order of
 * members in `arguments` does not matter.
 */
export function fingerprintCall(
  sha256: (text: string) => string,
  call: {
    readonly keyHash: string
    readonly source: SkillSource
    readonly skillId: string
    readonly skillVersion: number
    readonly amount: MicroCredits
    readonly arguments: JsonObject
  },
): string {
  const { amount, keyHash, skillId, skillVersion, source } = call
  const parts = [keyHash, source, skillId, skillVersion, amount, stableText(call.arguments)]
  return sha256(`equal-call:${JSON.stringify(parts)}`).slice(0, FINGERPRINT_CHARS)
}

/** A charged call that is compared with earlier calls. */
export type LaterCall = {
  readonly arrivedAtMs: number
  readonly fingerprint: string
  /** `config.repeat.forgive_within_sec` of the skill. */
  readonly withinSec: number
}

/**
 * True if `earlier` makes `later` free: `earlier` is equal, was charged, has made no other call
 * free, and ended at most `withinSec` before `later` arrived. Two calls that ran at the same time
 * are both charged.
 */
export function canForgive(earlier: Outcome, later: LaterCall): boolean {
  // The end is the upstream's answer, because a client may repeat the call before the outcome's
  // write.
  const sinceEndMs = later.arrivedAtMs - (earlier.createdAtMs + earlier.durationMs)
  return (
    earlier.state === 'settled' &&
    earlier.amount > 0 &&
    earlier.forgave === undefined &&
    earlier.facts?.fingerprint === later.fingerprint &&
    sinceEndMs >= 0 &&
    sinceEndMs <= later.withinSec * 1_000
  )
}

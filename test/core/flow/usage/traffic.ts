/** Traffic of three users over five hours, and the ways in which a stream brings the entries of its calls. */
import fc from 'fast-check'
import { makeCallId } from '../../../../core/call/call-id.ts'
import type { Outcome } from '../../../../core/ledger/ledger.ts'

export const START_MS = 1_795_219_200_000
export const HOUR_MS = 3_600_000

/** One call: its outcome, and what a void makes of it later. */
export type Traffic = { readonly outcome: Outcome; readonly isVoided: boolean }

export const TRAFFIC: fc.Arbitrary<readonly Traffic[]> = fc
  .array(
    fc.record({
      afterMs: fc.nat({ max: 5 * HOUR_MS }),
      tail: fc.string({ minLength: 4, maxLength: 4, unit: fc.constantFrom(...'abcdefgh') }),
      user: fc.constantFrom('ada', 'bob', 'cy'),
      skill: fc.constantFrom('sg_a', 'sg_b', ''),
      source: fc.constantFrom('official', 'private'),
      isSettled: fc.boolean(),
      amount: fc.nat({ max: 3_000_000 }),
      key: fc.constantFrom('k1', 'k2', undefined),
      isVoided: fc.boolean(),
    }),
    { minLength: 1, maxLength: 60 },
  )
  .map((calls) =>
    calls.map((call, index) => ({
      isVoided: call.isVoided && call.isSettled,
      outcome: {
        uid: call.user,
        callId: makeCallId(START_MS + call.afterMs, `${call.tail}${index}`),
        skillId: call.skill,
        source: call.source as Outcome['source'],
        skillVersion: 1,
        state: call.isSettled ? 'settled' : 'refunded',
        reason: call.isSettled ? undefined : 'upstream_failed',
        amount: call.amount,
        placement: 1,
        createdAtMs: START_MS + call.afterMs,
        endedAtMs: START_MS + call.afterMs + 20,
        durationMs: 20,
        upstreamStatus: 200,
        ...(call.key === undefined
          ? {}
          : { facts: { keyId: call.key, door: 'mcp' as const, phases: {} } }),
      },
    })),
  )

export function voidedOf(outcome: Outcome): Outcome {
  return { ...outcome, state: 'refunded', reason: 'void', endedAtMs: outcome.endedAtMs + 30_000 }
}

/** Entries of all calls: shards keep the order of their own records, and each batch may come twice. */
export function deliveries(
  traffic: readonly Traffic[],
  random: () => number,
): readonly Outcome[][] {
  const shards: Outcome[][] = [[], [], []]
  for (const { isVoided, outcome } of traffic) {
    // A user's records are in one shard.
    const shard = shards[outcome.uid.charCodeAt(0) % 3] ?? []
    shard.push(outcome)
    if (isVoided) shard.push(voidedOf(outcome))
  }
  const batches: Outcome[][] = []
  const left = shards.filter((shard) => shard.length > 0).map((shard) => ({ shard, from: 0 }))
  while (left.length > 0) {
    const at = Math.floor(random() * left.length)
    const reading = left[at]
    if (reading === undefined) break
    const size = 1 + Math.floor(random() * 8)
    batches.push(reading.shard.slice(reading.from, reading.from + size))
    // A batch that failed, or was cut in two, begins again before its end.
    reading.from += random() < 0.3 ? Math.floor(size / 2) : size
    if (reading.from >= reading.shard.length) left.splice(at, 1)
  }
  const again = batches.filter(() => random() < 0.2)
  return [...batches, ...again]
}

export const random = (seed: number) => () => {
  // Mulberry32: small, and the same on every machine.
  seed = (seed + 0x6d2b79f5) | 0
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
}

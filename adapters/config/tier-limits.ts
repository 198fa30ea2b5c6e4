/**
 * TIER_LIMITS: `TIER:CALLS_PER_MINUTE[:HOLDS_MAX],…`, added to the built-in limits of `free` and
 * `pro`. A tier without an entry has the limits of `free` (core/settings.ts).
 */
import type { Settings, TierLimits } from '../../core/settings.ts'

/** The tier as core/access/user-names.ts reads it, then calls per minute, then calls in flight. */
const ENTRY = /^([A-Za-z0-9_-]{1,64}):(\d{1,7})(?::(\d{1,3}))?$/
const CALLS_PER_MINUTE_MAX = 1_000_000
/**
 * A profile stores its holds: more than 200 of them would make the write of each call expensive.
 */
export const HOLDS_MAX_MAX = 200

export const TIER_LIMITS_RULE = `TIER:CALLS_PER_MINUTE[:CALLS_IN_FLIGHT], such as pro:600 or team:3000:64 (1 to ${CALLS_PER_MINUTE_MAX}, 1 to ${HOLDS_MAX_MAX})`

export function isTierLimit(entry: string): boolean {
  return readEntry(entry, 1) !== undefined
}

/** Entries have passed {@link isTierLimit}; of two entries for one tier the last counts. */
export function tiersOf(entries: readonly string[], holdsMax: number): Settings['tiers'] {
  const set = entries.flatMap((entry) => readEntry(entry, holdsMax) ?? [])
  return {
    pro: { callsPerMinute: 600, holdsMax },
    ...Object.fromEntries(set),
    free: set.findLast(([tier]) => tier === 'free')?.[1] ?? { callsPerMinute: 60, holdsMax },
  }
}

/** Answers a list of one, for `flatMap`. */
function readEntry(entry: string, holdsMax: number): readonly [string, TierLimits][] | undefined {
  const [, tier, calls, holds] = ENTRY.exec(entry) ?? []
  if (tier === undefined) return undefined
  const limits = {
    callsPerMinute: Number(calls),
    holdsMax: holds === undefined ? holdsMax : Number(holds),
  }
  const fits =
    limits.callsPerMinute >= 1 &&
    limits.callsPerMinute <= CALLS_PER_MINUTE_MAX &&
    limits.holdsMax >= 1 &&
    limits.holdsMax <= HOLDS_MAX_MAX
  return fits ? [[tier, limits]] : undefined
}

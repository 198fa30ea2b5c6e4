/**
 * Limits of tiers: `TIER:CALLS_PER_MINUTE[:CALLS_IN_FLIGHT]` as text. They are added to the
 * built-in limits of `free` and `pro`. A tier without an entry has the limits of `free`
 * (core/settings.ts).
 */

/** All limits of a tier. */
export type TierLimits = {
  readonly callsPerMinute: number
  /** Calls of one user that may hold credits at the same time. */
  readonly holdsMax: number
}

export type Tiers = { readonly free: TierLimits; readonly [tier: string]: TierLimits }

/** The limit of a tier as an operator gives it. */
export type TierLimit = {
  readonly tier: string
  /** Limit of one key. */
  readonly callsPerMinute: number
  /** Limit of one user; the setting `holdsMax` by default. */
  readonly callsInFlight?: number
}

export const CALLS_PER_MINUTE_MAX = 1_000_000
/** A profile stores its holds. With more than 200, each call's write would be expensive. */
export const CALLS_IN_FLIGHT_MAX = 200

export const TIER_LIMIT_RULE = `TIER:CALLS_PER_MINUTE[:CALLS_IN_FLIGHT], such as pro:600 or team:3000:64 (1 to ${CALLS_PER_MINUTE_MAX}, 1 to ${CALLS_IN_FLIGHT_MAX})`

/** The tier as core/access/user-names.ts reads it, then calls per minute, then calls in flight. */
const ENTRY = /^([A-Za-z0-9_-]{1,64}):(\d{1,7})(?::(\d{1,3}))?$/

/** Returns undefined if the text does not have the form or a number is out of range. */
export function parseTierLimit(text: string): TierLimit | undefined {
  const [, tier, calls, inFlight] = ENTRY.exec(text) ?? []
  if (tier === undefined) return undefined
  const callsPerMinute = Number(calls)
  if (!isWithin(callsPerMinute, CALLS_PER_MINUTE_MAX)) return undefined
  if (inFlight === undefined) return { tier, callsPerMinute }
  const callsInFlight = Number(inFlight)
  if (!isWithin(callsInFlight, CALLS_IN_FLIGHT_MAX)) return undefined
  return { tier, callsPerMinute, callsInFlight }
}

/** The text that {@link parseTierLimit} reads. */
export function writeTierLimit({ tier, callsPerMinute, callsInFlight }: TierLimit): string {
  const calls = `${tier}:${callsPerMinute}`
  return callsInFlight === undefined ? calls : `${calls}:${callsInFlight}`
}

/** If a tier has two limits, the last one is valid. */
export function toTiers(limits: readonly TierLimit[], holdsMax: number): Tiers {
  const set = limits.map(
    ({ tier, callsPerMinute, callsInFlight }) =>
      [tier, { callsPerMinute, holdsMax: callsInFlight ?? holdsMax }] as const,
  )
  return {
    pro: { callsPerMinute: 600, holdsMax },
    ...Object.fromEntries(set),
    free: set.findLast(([tier]) => tier === 'free')?.[1] ?? { callsPerMinute: 60, holdsMax },
  }
}

function isWithin(value: number, max: number): boolean {
  return value >= 1 && value <= max
}

/**
 * Charges of calls whose records have expired, computed from the sums of their hours, which never
 * expire. Bound by ADR 0053.
 */
import type { MicroCredits, Outcome } from '../ledger/ledger.ts'
import { toHour } from './slots.ts'
import type { UsageSum } from './usage-sum.ts'

/** Charged credits by hour, for each user. */
export type ChargesByUser = ReadonlyMap<string, ReadonlyMap<number, MicroCredits>>

/** Groups the sums of users by hour by their user. */
export function groupChargesByUser(sums: ReadonlyMap<number, readonly UsageSum[]>): ChargesByUser {
  const byUser = new Map<string, Map<number, MicroCredits>>()
  for (const [hour, users] of sums) {
    for (const { charged, name } of users) {
      const hours = byUser.get(name) ?? new Map<number, MicroCredits>()
      byUser.set(name, hours.set(hour, charged))
    }
  }
  return byUser
}

/**
 * The first hour since 1970 whose records are all in the store. Earlier hours may have lost
 * records.
 */
export function toColdHour(nowMs: number, hotMs: number): number {
  return toHour(nowMs - hotMs) + 1
}

/**
 * The amount by which a user's charges in hours before `coldHour` exceed the stored records of
 * those hours. Records of calls from before there were sums never expire, so an hour with more
 * records than sums has lost none.
 */
export function sumExpiredCharges(
  outcomes: readonly Outcome[],
  charges: ReadonlyMap<number, MicroCredits>,
  coldHour: number,
): MicroCredits {
  const stored = new Map<number, MicroCredits>()
  for (const { amount, createdAtMs, state } of outcomes) {
    const hour = toHour(createdAtMs)
    if (state === 'settled') stored.set(hour, (stored.get(hour) ?? 0) + amount)
  }
  let ended = 0
  for (const [hour, charged] of charges) {
    if (hour < coldHour) ended += Math.max(0, charged - (stored.get(hour) ?? 0))
  }
  return ended
}

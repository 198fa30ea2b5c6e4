/**
 * Charges of calls whose records have expired, from the sums of their hours, which never expire. Bound by
 * ADR 0053.
 */
import type { MicroCredits, Outcome } from '../ledger/ledger.ts'
import { hourOf } from './slots.ts'
import type { UsageSum } from './usage-sum.ts'

/** Charged credits by hour, for each user. */
export type ChargesByUser = ReadonlyMap<string, ReadonlyMap<number, MicroCredits>>

/** `sums`: the series of users by hour. */
export function chargesByUser(sums: ReadonlyMap<number, readonly UsageSum[]>): ChargesByUser {
  const byUser = new Map<string, Map<number, MicroCredits>>()
  for (const [hour, users] of sums) {
    for (const { charged, name } of users) {
      const hours = byUser.get(name) ?? new Map<number, MicroCredits>()
      byUser.set(name, hours.set(hour, charged))
    }
  }
  return byUser
}

/** Hours before it may have lost records; all records of later ones are in the store. */
export function coldHourAt(nowMs: number, hotMs: number): number {
  return hourOf(nowMs - hotMs) + 1
}

/**
 * The amount by which the charges of a user's hours before `coldHour` exceed the records still stored for them.
 * Records of calls from before there were sums never expire, so an hour with more records than sums lacks none.
 */
export function endedCharges(
  outcomes: readonly Outcome[],
  charges: ReadonlyMap<number, MicroCredits>,
  coldHour: number,
): MicroCredits {
  const left = new Map<number, MicroCredits>()
  for (const { amount, createdAtMs, state } of outcomes) {
    const hour = hourOf(createdAtMs)
    if (state === 'settled') left.set(hour, (left.get(hour) ?? 0) + amount)
  }
  let ended = 0
  for (const [hour, charged] of charges) {
    if (hour < coldHour) ended += Math.max(0, charged - (left.get(hour) ?? 0))
  }
  return ended
}

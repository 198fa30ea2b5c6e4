/**
 * Marks in the profile that limit each crossing to one event. For a low balance, the mark is the id
 * of the event and is kept until the balance is above its threshold again. For a budget or the
 * calls of a day, it is the last month or day that had an event. Bound by ADR 0052.
 */
import type { MicroCredits, Profile } from './ledger.ts'
import type { Month } from './month.ts'

export type EventMark =
  | {
      readonly of: 'balance'
      /**
       * The mark when the crossing was read. If the mark differs by now, another write came first.
       */
      readonly seen: string | undefined
      /** The credits when the crossing was read. After a grant, the credits differ. */
      readonly credits: MicroCredits
    }
  | {
      readonly of: 'budget'
      /** Undefined for the user's budget. */
      readonly keyHash: string | undefined
      readonly sinceMs: number
      readonly month: Month
    }
  | {
      /** The calls of a key in a day. */
      readonly of: 'day'
      readonly keyHash: string
      readonly day: string
    }

/**
 * The sum of spendable credits and credits on hold. A refund does not change this sum, so a failed
 * call crosses no threshold.
 */
export function computeBalance({
  credits,
  holds,
}: Pick<Profile, 'credits' | 'holds'>): MicroCredits {
  return Object.values(holds).reduce((sum, { amount }) => sum + amount, credits)
}

/**
 * Marks in the profile that keep each crossing at one event: the id of the event of a low balance,
 * until the balance is above its threshold again, and in a budget the last month that had an event. One rule
 * for every store. Bound by ADR 0052.
 */
import type { MicroCredits, Profile } from './ledger.ts'
import type { Month } from './month.ts'

export type EventMark =
  | {
      readonly of: 'balance'
      /** The mark when the crossing was seen; another mark by now means that another write came first. */
      readonly seen: string | undefined
      /** The credits when the crossing was seen; after a grant the balance differs. */
      readonly credits: MicroCredits
    }
  | {
      readonly of: 'budget'
      /** Undefined: the user's budget. */
      readonly keyHash: string | undefined
      readonly sinceMs: number
      readonly month: Month
    }

/**
 * Credits that can be spent and credits on hold. A refund does not change this sum, so a call that fails
 * crosses no threshold.
 */
export function balanceOf({ credits, holds }: Pick<Profile, 'credits' | 'holds'>): MicroCredits {
  return Object.values(holds).reduce((sum, { amount }) => sum + amount, credits)
}

/** The request to the store by which a call puts its price on hold. */
import type { NewHold, Profile } from './ledger.ts'

export type HoldRequest = {
  readonly uid: string
  readonly callId: string
  readonly hold: NewHold
  readonly holdsMax: number
  /** The key of the call, which may have a budget. */
  readonly keyHash?: string
  /**
   * The profile that the caller read last. The store may start with its budgets and save one try;
   * the answer is the same without it.
   */
  readonly seen?: Profile
}

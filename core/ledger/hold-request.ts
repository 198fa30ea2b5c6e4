/** What a store is asked for when a call puts its price on hold. */
import type { NewHold, Profile } from './ledger.ts'

export type HoldRequest = {
  readonly uid: string
  readonly callId: string
  readonly hold: NewHold
  /** Most holds of one user of this kind: of tasks if the hold has `untilMs`, otherwise of calls. */
  readonly holdsMax: number
  /** The key of the call, which may have a budget. */
  readonly keyHash?: string
  /**
   * The profile as the caller last read it. A store may begin with its budgets and save one try; the answer is
   * the same without it.
   */
  readonly seen?: Profile
}

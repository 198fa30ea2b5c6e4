/**
 * The account of one user in one month: opening + grants + corrections − charges = closing, exact
 * in micro-credits. A call belongs to the month of the hour in which it started, however late it
 * ended. A refunded call was never charged, so refunds are listed but change no balance.
 */
import type { UserState } from '../access/user-state.ts'
import type { Grant, MicroCredits } from '../ledger/ledger.ts'
import type { Month } from '../ledger/month.ts'
import type { CreditPrice } from '../settings/credit-price.ts'
import type { SkillSource } from '../skills/skill.ts'
import type { RefundCause, UsageDetail } from './usage-detail.ts'

/** A grant, or a correction if its amount is negative. */
export type StatementGrant = {
  readonly createdAtMs: number
  readonly grantId: string
  readonly amount: number
  readonly money?: string
  readonly by?: string
  readonly reason?: string
}

export type StatementCharge = {
  readonly skillId: string
  readonly source: SkillSource
  readonly calls: number
  readonly charged: number
  readonly money?: string
}

export type StatementRefund = {
  readonly reason: RefundCause
  readonly calls: number
  readonly givenBack: number
}

/** Credits of one month. */
export type Balances = {
  readonly opening: number
  readonly granted: number
  /** Credits that corrections took; 0 or negative. */
  readonly corrected: number
  readonly charged: number
  readonly closing: number
}

export type StatementTotals = Balances & {
  /** Calls that were charged, free ones among them. */
  readonly calls: number
  readonly refunded: number
  readonly givenBack: number
  /** The same balances in money, each rounded on its own. */
  readonly money?: { readonly [name in keyof Balances]: string }
}

export type StatementOwner = {
  readonly uid: string
  readonly username: string
  readonly state: UserState
}

export type StatementHead = StatementOwner & {
  readonly month: Month
  readonly sinceMs: number
  readonly untilMs: number
  /** False while calls of the month can still be missing: the month is not over, or just over. */
  readonly complete: boolean
  readonly creditPrice?: CreditPrice
}

export type Statement = StatementHead &
  StatementTotals & {
    readonly grants: readonly StatementGrant[]
    readonly corrections: readonly StatementGrant[]
    readonly charges: readonly StatementCharge[]
    readonly refunds: readonly StatementRefund[]
    /** The balance and the running calls at this moment; only in the current month. */
    readonly now?: { readonly credits: number; readonly onHold: number; readonly holds: number }
  }

/** What a statement is computed from. All grants and details up to the end of the month. */
export type StatementFacts = {
  readonly head: StatementHead
  readonly grants: readonly Grant[]
  /** Credits that calls before the month cost. */
  readonly chargedBefore: MicroCredits
  readonly details: readonly UsageDetail[]
}

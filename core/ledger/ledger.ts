/**
 * Credits, holds and outcomes. Amounts are whole micro-credits (1 credit = 1,000,000), exact below
 * 2^53; the store keeps them as exact decimals of credits. Each call makes a hold, then one
 * outcome, then a release. Each of these is a single write that can be repeated. Bound by
 * docs/service.md, Ledger.
 */
import type { Disabled } from '../access/user-state.ts'
import type { SkillSource } from '../skills/skill.ts'
import type { ToolListKind } from '../skills/tool-list-kind.ts'
import type { CallFacts } from './call-facts.ts'
import type { Month } from './month.ts'

/**
 * Whole number of micro-credits. Only a correction makes it negative: its own amount, and the
 * balance after it.
 */
export type MicroCredits = number

/** A limit of credits for each calendar month, and what the month has spent; see budget.ts. */
export type Budget = {
  /** Most credits of one month. */
  readonly limit: MicroCredits
  /**
   * When the budget was set. Holds of an earlier budget have another time and are not given back to
   * this one.
   */
  readonly sinceMs: number
  /** The month in which `spent` was spent. */
  readonly month: Month
  readonly spent: MicroCredits
  /** The last month in which this limit was reached and an event was recorded. */
  readonly toldMonth?: Month
}

/** Budgets by the hash of a key, for keys that have one. */
export type KeyBudgets = { readonly [keyHash: string]: Budget }

/** The calls that a key may make in a day (UTC), and how many it has made; see key-days.ts. */
export type KeyDay = {
  /** Most calls of one day. */
  readonly limit: number
  /** The day in which `calls` were made: `2026-11-27`. */
  readonly day: string
  readonly calls: number
  /** The last day in which this limit was reached and an event was recorded. */
  readonly toldDay?: string
}

/** Daily limits by the hash of a key, for keys that have one. */
export type KeyDays = { readonly [keyHash: string]: KeyDay }

/**
 * The budgets in which a hold was counted, each by its `sinceMs`; stored with the hold and its
 * outcome.
 */
export type Counted = {
  readonly month: Month
  readonly userSinceMs?: number
  readonly keyHash?: string
  readonly keySinceMs?: number
  /** The key that issued the sub-key of the call. */
  readonly parentHash?: string
  readonly parentSinceMs?: number
}

/** The credits that a call sets aside. */
export type NewHold = {
  readonly amount: MicroCredits
  readonly heldAtMs: number
  /**
   * Random write token of the attempt, which identifies our own hold if the store's reply was lost.
   */
  readonly writeToken: string
  readonly skillId: string
  readonly source: SkillSource
  /** When a task is over at the latest. Absent for a call, which is over after STALE_HOLD_MS. */
  readonly untilMs?: number
}

/**
 * Credits set aside for a running call; the profile has them by call id. `placement` is the store's
 * count of the user's holds. A late duplicate of the write gets another number, so its credits can
 * be told from those of an outcome.
 */
export type Hold = NewHold & {
  readonly placement: number
  /** The budgets in which the hold was counted; absent if no budget applied. */
  readonly counted?: Counted
}

/** profile:{uid} */
export type Profile = {
  readonly uid: string
  readonly username: string
  readonly tier: string
  /** Credits that can be spent now; holds are already subtracted. */
  readonly credits: MicroCredits
  readonly holds: { readonly [callId: string]: Hold }
  readonly createdAtMs: number
  /** Last change of the user's own private skills; 0 before the first. */
  readonly skillsChangedAtMs: number
  /**
   * A user of the earlier service. `moved`: old writers may still add to the old record, so sweeps
   * read that record until an administrator closes the migration. `unmoved`: a preview of the move
   * that is not stored.
   */
  readonly v0?: 'moved' | 'unmoved'
  /** Groups whose skills the user sees (core/skills/visible.ts); absent for none. */
  readonly groups?: readonly string[]
  /** The kind of the user's tool list; absent for that of the stage. */
  readonly list?: ToolListKind
  /** Absent for an active user. */
  readonly disabled?: Disabled
  /** An outside name of the user, such as an e-mail address; no other user has it. */
  readonly identity?: string
  /** At or below this balance the balance is low; absent for the operator's own threshold. */
  readonly lowBalanceAt?: MicroCredits
  /**
   * Id of the event that announced the low balance; removed once the balance is above the
   * threshold.
   */
  readonly lowBalanceTold?: string
  readonly budget?: Budget
  /** Budgets of single keys; absent where no key has one. */
  readonly keyBudgets?: KeyBudgets
  /** Calls per day of single keys; absent where no key has a limit. */
  readonly keyDays?: KeyDays
}

/** Why a call cost nothing: conditions of the store, and the codes of failed calls. */
export const REFUND_REASONS = [
  'upstream_failed',
  'timed_out',
  'cancelled',
  'void',
  'crashed',
  'internal',
  'invalid_skill',
  'invalid_arguments',
  'secret_missing',
  'secret_refused',
  'secret_unreadable',
  /**
   * The upstream needed input first. That is free; the round that completes the call is charged.
   */
  'input_required',
  'client_capability_missing',
  /** An equal call was charged shortly before; the skill forgives the second one. */
  'repeat',
] as const

export type RefundReason = (typeof REFUND_REASONS)[number]

/** ledger:{uid}/{callId}: how a call ended. The first writer decides. */
export type Outcome = {
  readonly uid: string
  readonly callId: string
  readonly skillId: string
  readonly source: SkillSource
  /** The version of the skill that ran; 0 when unknown (a void before the hold). */
  readonly skillVersion: number
  readonly state: 'settled' | 'refunded'
  readonly reason: RefundReason | undefined
  readonly amount: MicroCredits
  /** The hold of this outcome; 0 for a free call, and for a void that found no hold. */
  readonly placement: number
  readonly createdAtMs: number
  readonly endedAtMs: number
  /** From the start of execute to the upstream's answer; 0 when no call ran to its end. */
  readonly durationMs: number
  /** HTTP status of the upstream; undefined when it did not answer. */
  readonly upstreamStatus: number | undefined
  /** For administrators; absent when execute itself did not end the call. */
  readonly facts?: CallFacts
  /** The budgets in which its hold was counted, for a void after the hold is removed. */
  readonly counted?: Counted | undefined
  /** The id of the later equal call that is free because this one was charged. */
  readonly forgave?: string
  /** The answer was given again under an Idempotency-Key, so no void gives the amount back. */
  readonly chargeStays?: true
}

export type HoldRefusal =
  | 'insufficient_credits'
  /** The budget of the user or of the key has no room; core/ledger/budget.ts finds which. */
  | 'budget_reached'
  /** The key has made its calls of the day; core/ledger/key-days.ts. */
  | 'daily_calls_reached'
  | 'too_many_holds'
  | 'no_profile'
  /** The user is not active. */
  | 'disabled'
  /** Another attempt (another write token) of this call holds its credits; nothing changed. */
  | 'already_held'

export type HoldAnswer =
  | { readonly kind: 'held'; readonly profile: Profile }
  | { readonly kind: 'refused'; readonly why: HoldRefusal; readonly profile: Profile | undefined }

/**
 * ledger:{uid}/grant#{grantId}: credits that an administrator gave, or took by a negative amount (a
 * correction), once per grantId.
 */
export type Grant = {
  readonly grantId: string
  readonly amount: MicroCredits
  readonly reason: string | undefined
  /** The administrator who gave the credits; undefined for grants of the migration. */
  readonly by?: string | undefined
  readonly createdAtMs: number
}

/** A grant as it is sent to the store. */
export type NewGrant = Omit<Grant, 'by' | 'createdAtMs' | 'reason'> & {
  readonly by?: string | undefined
  readonly uid: string
  readonly reason?: string | undefined
  /** Upper limit of the balance, for positive amounts. */
  readonly creditsMax: MicroCredits
  /** Lower limit of the balance, 0 by default, for negative amounts. */
  readonly creditsMin?: MicroCredits
  readonly nowMs: number
}

export type GrantAnswer =
  | { readonly kind: 'granted'; readonly profile: Profile }
  /** This grantId was used before with the same amount: nothing changed. */
  | { readonly kind: 'repeated'; readonly profile: Profile }
  /** This grantId was used before with another amount: nothing changed. */
  | { readonly kind: 'conflict'; readonly amount: MicroCredits }
  | { readonly kind: 'no_profile' }
  /** The user is being deleted or was deleted. */
  | { readonly kind: 'leaving' }
  /** credits + amount would pass CREDITS_MAX. */
  | { readonly kind: 'over_limit' }
  /** credits + amount would fall below the lower limit. `credits` is the refused balance. */
  | { readonly kind: 'under_limit'; readonly credits: MicroCredits }

/**
 * Credits, holds and outcomes. Amounts are whole micro-credits (1 credit = 1,000,000), exact below
 * 2^53; stores keep them as exact decimals of credits. Each call makes a hold, then one outcome,
 * then a release; each is a single write that can be repeated. Bound by docs/service.md, Ledger.
 */
import type { Disabled } from '../access/user-state.ts'
import type { SkillSource } from '../skills/skill.ts'
import type { CallFacts } from './call-facts.ts'
import type { Month } from './month.ts'

/**
 * Whole number of micro-credits. Below 0 only where a correction took it: in its own amount, and in
 * the balance that it left.
 */
export type MicroCredits = number

/** Most credits of a calendar month, and what it has spent; its rules are in budget.ts. */
export type Budget = {
  /** Most credits of one month. */
  readonly limit: MicroCredits
  /** When the budget was set. Tells it from an earlier one, whose holds are not given back to it. */
  readonly sinceMs: number
  /** The month that `spent` is about. */
  readonly month: Month
  readonly spent: MicroCredits
  /** The last month in which this limit was reached and an event was recorded. */
  readonly toldMonth?: Month
}

/** Budgets by the hash of a key, for keys that have one. */
export type KeyBudgets = { readonly [keyHash: string]: Budget }

/** The budgets that a hold was counted in, each by its `sinceMs`; kept with the hold and its outcome. */
export type Counted = {
  readonly month: Month
  readonly userSinceMs?: number
  readonly keyHash?: string
  readonly keySinceMs?: number
}

/** The credits a call asks to set aside. */
export type NewHold = {
  readonly amount: MicroCredits
  readonly heldAtMs: number
  /** Random write token of the attempt. Recognises our own hold when the store's reply was lost. */
  readonly writeToken: string
  readonly skillId: string
  readonly source: SkillSource
  /** When a task is over at the latest. Absent for a call, which is over after STALE_HOLD_MS. */
  readonly untilMs?: number
}

/**
 * Credits set aside for a running call, kept in the profile by call id. `placement` is the store's
 * count of the user's holds. A late duplicate of the write gets another number, so the credits it
 * holds can be told from those that an outcome is about.
 */
export type Hold = NewHold & {
  readonly placement: number
  /** The budgets that it was counted in; absent where none applied. */
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
   * A user of the earlier service. `moved`: its old writers may still add to the old record, so
   * sweeps read it until an administrator closes the migration. `unmoved`: a preview of the move;
   * not stored.
   */
  readonly v0?: 'moved' | 'unmoved'
  /** Whose skills the user sees (core/skills/visible.ts); absent for none. */
  readonly groups?: readonly string[]
  /** Absent for an active user. */
  readonly disabled?: Disabled
  /** An outside name of the user, such as an e-mail address; no other user has it. */
  readonly identity?: string
  /** At or below it the balance is low; absent: the operator's own threshold. */
  readonly lowBalanceAt?: MicroCredits
  /** The event that told of the low balance; taken away once the balance is above the threshold. */
  readonly lowBalanceTold?: string
  readonly budget?: Budget
  /** Budgets of single keys; absent where no key has one. */
  readonly keyBudgets?: KeyBudgets
}

/** The reasons why a call cost nothing: conditions of the store, and the codes of failed calls. */
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
  /** The upstream asked a question first. Asking is free; the round that completes is charged. */
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
  /** The hold that this outcome is about; 0 for a free call, and for a void that saw no hold. */
  readonly placement: number
  readonly createdAtMs: number
  readonly endedAtMs: number
  /** From the start of execute to the upstream's answer; 0 when no call ran to its end. */
  readonly durationMs: number
  /** HTTP status of the upstream; undefined when it did not answer. */
  readonly upstreamStatus: number | undefined
  /** For administrators; absent when execute itself did not end the call. */
  readonly facts?: CallFacts
  /** The budgets that its hold was counted in, for a void after the hold is gone. */
  readonly counted?: Counted | undefined
  /** The id of the later equal call that is free because this one was charged. */
  readonly forgave?: string
}

export type HoldRefusal =
  | 'insufficient_credits'
  /** The user's budget or the key's has no room: core/ledger/budget.ts says which. */
  | 'budget_reached'
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
  /** The administrator who gave it; undefined for grants of the migration. */
  readonly by?: string | undefined
  readonly createdAtMs: number
}

/** A grant as the store is asked for it. */
export type NewGrant = Omit<Grant, 'by' | 'createdAtMs' | 'reason'> & {
  readonly by?: string | undefined
  readonly uid: string
  readonly reason?: string | undefined
  /** Upper limit of the balance; binds positive amounts. */
  readonly creditsMax: MicroCredits
  /** Lower limit of the balance, 0 by default; binds negative amounts. */
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
  /** The user is being deleted, or was deleted. */
  | { readonly kind: 'leaving' }
  /** credits + amount would pass CREDITS_MAX. */
  | { readonly kind: 'over_limit' }
  /** credits + amount would fall below the lower limit. `credits` is the balance that refused it. */
  | { readonly kind: 'under_limit'; readonly credits: MicroCredits }

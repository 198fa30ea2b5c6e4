/**
 * Credits, holds and outcomes. Amounts are whole micro-credits (1 credit = 1,000,000), exact below
 * 2^53; stores keep them as exact decimals of credits. Bound by docs/service.md, Ledger: hold, then
 * one outcome, then release; each a single write that can be repeated.
 */
import type { SkillSource } from '../skills/skill.ts'

/** Whole number of micro-credits, ≥ 0. */
export type MicroCredits = number

/** What a call asks to set aside. */
export type NewHold = {
  readonly amount: MicroCredits
  readonly heldAtMs: number
  /** Random write token of the attempt that placed it: recognises our own hold when its answer was lost. */
  readonly writeToken: string
  readonly skillId: string
  readonly source: SkillSource
}

/**
 * Credits set aside for a call that runs. Kept inside the profile, keyed by call id. `placement` is
 * the store's own count of the user's holds: a late duplicate of the write that placed this one
 * would get another number, so that its credits can be told from those that an outcome is about.
 */
export type Hold = NewHold & { readonly placement: number }

/** profile:{uid} */
export type Profile = {
  readonly uid: string
  readonly username: string
  readonly tier: string
  /** What can be spent now; holds are already taken off. */
  readonly credits: MicroCredits
  readonly holds: { readonly [callId: string]: Hold }
  readonly createdAtMs: number
  /** Last change of the user's own private skills; 0 before the first. */
  readonly skillsChangedAtMs: number
  /**
   * Of the earlier service. `moved`: its old writers may still add to the old record, so sweeps look
   * there until an administrator closes the migration. `unmoved`: as the move will make it; not stored.
   */
  readonly v0?: 'moved' | 'unmoved'
}

/** Why a call cost nothing: what stores may hold, and the codes that a call may fail with. */
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
  /** The upstream asked for more first: asking is free, the round that completes is charged. */
  'input_required',
  'client_capability_missing',
] as const

export type RefundReason = (typeof REFUND_REASONS)[number]

/** ledger:{uid}/{callId}: how a call ended. Whoever writes it first decides. */
export type Outcome = {
  readonly uid: string
  readonly callId: string
  readonly skillId: string
  readonly source: SkillSource
  /** The skill's `updatedAtMs`-based version that ran; 0 where unknown (void before hold). */
  readonly skillVersion: number
  readonly state: 'settled' | 'refunded'
  readonly reason: RefundReason | undefined
  readonly amount: MicroCredits
  /** The hold that this outcome is about; 0 for a free call, and for a void that saw no hold. */
  readonly placement: number
  readonly createdAtMs: number
  readonly endedAtMs: number
  /** From the start of execute to the upstream's answer; 0 where no call ran to its end. */
  readonly durationMs: number
  /** HTTP status of the upstream; undefined where none answered. */
  readonly upstreamStatus: number | undefined
}

export type HoldRefusal =
  | 'insufficient_credits'
  | 'too_many_holds'
  | 'no_profile'
  /** Another attempt (another write token) of this call holds its credits already: nothing changed. */
  | 'already_held'

export type HoldAnswer =
  | { readonly kind: 'held'; readonly profile: Profile }
  | { readonly kind: 'refused'; readonly why: HoldRefusal; readonly profile: Profile | undefined }

/** ledger:{uid}/grant#{grantId}: credits given by an administrator, once per grantId. */
export type GrantAnswer =
  | { readonly kind: 'granted'; readonly profile: Profile }
  /** This grantId was used before with the same amount: nothing changed. */
  | { readonly kind: 'repeated'; readonly profile: Profile }
  /** This grantId was used before with another amount: nothing changed. */
  | { readonly kind: 'conflict'; readonly amount: MicroCredits }
  | { readonly kind: 'no_profile' }
  /** credits + amount would pass CREDITS_MAX. */
  | { readonly kind: 'over_limit' }

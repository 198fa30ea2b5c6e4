/**
 * Whether a user's calls are served, and why not. The state is part of the profile, which every
 * call reads. Bound by docs/service.md, User administration, and ADR 0044.
 */
import type { Refusal } from '../errors.ts'
import { explainHiddenText } from '../json/hidden-text.ts'

/** `deleting` and `deleted` are final. A deleted user remains as a tombstone. */
export const USER_STATES = ['active', 'disabled', 'deleting', 'deleted'] as const
export type UserState = (typeof USER_STATES)[number]

/** The state of a user who is not active. The user sees the reason. */
export type Disabled = {
  readonly state: Exclude<UserState, 'active'>
  readonly reason: string
  readonly sinceMs: number
}

type MayBeDisabled = { readonly disabled?: Disabled }

/** Code points: a sentence that fits a log line and the error of every client. */
export const REASON_CHARS_MAX = 200
export const REASON_RULE = `must be 1 to ${REASON_CHARS_MAX} characters, none of them hidden`

/** True for 1 to REASON_CHARS_MAX visible characters, not all of them spaces. */
export function isReason(value: unknown): value is string {
  if (typeof value !== 'string' || value.trim() === '') return false
  return [...value].length <= REASON_CHARS_MAX && explainHiddenText(value) === undefined
}

/** The state of a profile; a profile without a `disabled` record is active. */
export function readUserState({ disabled }: MayBeDisabled): UserState {
  return disabled?.state ?? 'active'
}

/** True once a deletion has begun. From then on only the end of the deletion changes the user. */
export function isBeingDeleted({ disabled }: MayBeDisabled): boolean {
  return disabled?.state === 'deleting' || disabled?.state === 'deleted'
}

/** The refusal with which every door answers a request of this user. */
export function toDisabledRefusal({ reason, state }: Disabled): Refusal {
  const end = /[.!?…]$/.test(reason) ? '' : '.'
  const sentence = state === 'disabled' ? 'This user is disabled' : 'This user is gone'
  return { code: 'user_disabled', detail: `${sentence}: ${reason}${end} Ask your administrator.` }
}

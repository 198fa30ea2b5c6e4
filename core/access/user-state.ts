/**
 * Whether a user's calls are served, and why not. The state is part of the profile, which every call
 * reads. Bound by docs/service.md, User administration, and ADR 0044.
 */
import type { Refusal } from '../errors.ts'
import { hiddenFault } from '../json/hidden-text.ts'

/** `deleting` and `deleted` are final: no change leads back. A deleted user is a tombstone. */
export const USER_STATES = ['active', 'disabled', 'deleting', 'deleted'] as const
export type UserState = (typeof USER_STATES)[number]

/** Of a user who is not active. The reason is shown to the user. */
export type Disabled = {
  readonly state: Exclude<UserState, 'active'>
  readonly reason: string
  readonly sinceMs: number
}

type MayBeDisabled = { readonly disabled?: Disabled }

/** Code points: a sentence that fits a log line and an error of every client. */
export const REASON_CHARS_MAX = 200
export const REASON_RULE = `must be 1 to ${REASON_CHARS_MAX} characters, none of them hidden`

export function isReason(value: unknown): value is string {
  if (typeof value !== 'string' || value.trim() === '') return false
  return [...value].length <= REASON_CHARS_MAX && hiddenFault(value) === undefined
}

export function stateOf({ disabled }: MayBeDisabled): UserState {
  return disabled?.state ?? 'active'
}

/** From here on nothing but the end of the deletion changes the user. */
export function isLeaving({ disabled }: MayBeDisabled): boolean {
  return disabled?.state === 'deleting' || disabled?.state === 'deleted'
}

/** What every door answers to a request of this user. */
export function disabledRefusal({ reason, state }: Disabled): Refusal {
  const end = /[.!?…]$/.test(reason) ? '' : '.'
  const sentence = state === 'disabled' ? 'This user is disabled' : 'This user is gone'
  return { code: 'user_disabled', detail: `${sentence}: ${reason}${end} Ask your administrator.` }
}

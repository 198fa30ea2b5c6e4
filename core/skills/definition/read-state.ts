/**
 * Reads `state` and `state_reason`: whether agents see a skill and may call it. A disabled skill is
 * stored but not listed, and each call is refused, free of charge, with the reason. A skill in review
 * is listed, and its calls are refused likewise.
 */
import type { JsonObject } from '../../json/json.ts'
import { STATE_REASON_CHARS_MAX } from '../limits.ts'
import { addFieldError, type Notes, readOptionalText } from './field-notes.ts'

export type SkillState = 'listed' | 'unlisted' | 'review' | 'disabled'

/** The first one is the default. */
export const SKILL_STATES: readonly SkillState[] = ['listed', 'unlisted', 'review', 'disabled']

export type StateRead = { readonly state?: SkillState; readonly stateReason?: string }

/** True for a skill that tool lists have. */
export function isListedState(state: SkillState | undefined): boolean {
  return state === undefined || state === 'listed' || state === 'review'
}

/** Leaves out absent fields, because most skills have neither. */
export function readState(notes: Notes, definition: JsonObject): StateRead {
  const { state: sent = null } = definition
  const reason = readOptionalText(notes, '/state_reason', definition['state_reason'], {
    charsMax: STATE_REASON_CHARS_MAX,
    lines: true,
  })
  const stateReason = reason === undefined || reason === '' ? {} : { stateReason: reason }
  if (sent === null) return stateReason
  const state = SKILL_STATES.find((known) => known === sent)
  if (state === undefined) {
    addFieldError(notes, '/state', `must be one of ${SKILL_STATES.join(', ')}`)
    return stateReason
  }
  return { state, ...stateReason }
}

/**
 * Refuses a definition with a number that JSON.parse changes. Otherwise the gateway would store,
 * show and send another number than the author wrote.
 */
import { type FieldError, type Result, refuse } from '../../errors.ts'

export const CHANGED_NUMBER =
  'is a number that would be changed: it has more digits than a double keeps; write one with at most 15 digits, or a text'

/** `faults` is the result of core/json/changed-numbers.ts, with at least one error. */
export function refuseNumbers(faults: readonly FieldError[]): Result<never> {
  const shown = faults.map(({ pointer }) => ({ pointer, message: CHANGED_NUMBER }))
  const [first] = shown
  return refuse('invalid_skill', `The definition: ${first?.pointer || 'it'} ${CHANGED_NUMBER}.`, {
    faults: shown,
  })
}

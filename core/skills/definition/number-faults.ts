/**
 * A definition is refused for a number that JSON.parse changes: what is stored, shown and sent to the
 * upstream would be another number than the one that was written.
 */
import { type FieldFault, type Result, refuse } from '../../errors.ts'

export const CHANGED_NUMBER =
  'is a number that would be changed: it has more digits than a double keeps; write one with at most 15 digits, or a text'

/** `faults` as core/json/changed-numbers.ts found them, at least one. */
export function refuseNumbers(faults: readonly FieldFault[]): Result<never> {
  const shown = faults.map(({ pointer }) => ({ pointer, message: CHANGED_NUMBER }))
  const [first] = shown
  return refuse('invalid_skill', `The definition: ${first?.pointer || 'it'} ${CHANGED_NUMBER}.`, {
    faults: shown,
  })
}

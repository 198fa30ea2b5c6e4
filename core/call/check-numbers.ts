/**
 * Refuses a call with a number that JSON.parse changes, before any charge. Otherwise the upstream
 * would receive another number than the caller posted. Two bodies that differ only in that number
 * would share one answer under an Idempotency-Key.
 */
import { type FieldError, ok, type Refusal, type Result, refuse } from '../errors.ts'
import { findChangedNumbers } from '../json/changed-numbers.ts'

/**
 * Checks the body of POST /v1/execute. Pointers to arguments are relative to `arguments`, as in all
 * other errors of arguments. Refuses with `invalid_arguments`, or `malformed` for a number in
 * `input`.
 */
export function checkNumbers(text: string): Result<undefined> {
  const faults = findChangedNumbers(text, ['arguments'])
  if (faults.length > 0) return { ok: false, error: toNumbersRefusal(faults) }
  const [input] = findChangedNumbers(text, ['input'])
  if (input === undefined) return ok(undefined)
  const fault = { ...input, pointer: `/input${input.pointer}` }
  return refuse('malformed', `${fault.pointer}: ${fault.message}`, { faults: [fault] })
}

export function toNumbersRefusal(faults: readonly FieldError[]): Refusal {
  return {
    code: 'invalid_arguments',
    detail:
      'arguments: some numbers have more digits than a double keeps, and would be changed. Send them as strings.',
    faults,
  }
}

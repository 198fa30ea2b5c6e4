/**
 * Refuses a call with a number that JSON.parse changes, before any money moves. The upstream would get another
 * number than was posted, and two bodies that differ only in it would share one answer under an
 * Idempotency-Key.
 */
import { type FieldFault, ok, type Refusal, type Result, refuse } from '../errors.ts'
import { changedNumbers } from '../json/changed-numbers.ts'

/**
 * `text` is a body of POST /v1/execute. Pointers to arguments are relative to `arguments`, as in all other
 * faults of arguments.
 */
export function checkNumbers(text: string): Result<undefined> {
  const faults = changedNumbers(text, ['arguments'])
  if (faults.length > 0) return { ok: false, error: numbersRefusal(faults) }
  const [input] = changedNumbers(text, ['input'])
  if (input === undefined) return ok(undefined)
  const fault = { ...input, pointer: `/input${input.pointer}` }
  return refuse('malformed', `${fault.pointer}: ${fault.message}`, { faults: [fault] })
}

export function numbersRefusal(faults: readonly FieldFault[]): Refusal {
  return {
    code: 'invalid_arguments',
    detail:
      'arguments: some numbers have more digits than a double keeps, and would be changed. Send them as strings.',
    faults,
  }
}

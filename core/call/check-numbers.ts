/**
 * A call is refused for a number that is not what was posted: the upstream would get another one, and an
 * Idempotency-Key would give the answer of the one for the other. Before any money moves.
 */
import { type FieldFault, ok, type Refusal, type Result, refuse } from '../errors.ts'
import { changedNumbers } from '../json/changed-numbers.ts'

/** `text` is a body of POST /v1/execute. Pointers of arguments lead from there, as all of theirs do. */
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
    detail: 'arguments: hold numbers that would be changed on their way. Send them as strings.',
    faults,
  }
}

/**
 * Conditions that make an answer a failure although its status is a success (`response.fail_if`).
 * Many APIs answer 200 with an error in the body, and such a call must be free. Conditions are
 * checked on the upstream's own text, before a value is picked or masked. Two numbers are equal
 * only if all their digits are equal.
 */
import type { Result } from '../errors.ts'
import type { Json } from '../json/json.ts'
import { readPointer } from '../json/json-pointer.ts'
import type { FailCondition } from '../skills/skill.ts'

export type AnswerText = {
  readonly text: string
  /** Parses the text at the first call. Its numbers are exact (core/json/raw-number.ts). */
  parsed(): Result<Json>
}

/** Returns the first condition that is true. A pointer is never true for text that is not JSON. */
export function findFailingCondition(
  answer: AnswerText,
  conditions: readonly FailCondition[] = [],
): FailCondition | undefined {
  return conditions.find((condition) => {
    if (condition.kind === 'contains') return answer.text.includes(condition.text)
    const parsed = answer.parsed()
    return parsed.ok && readPointer(parsed.value, condition.pointer) === condition.value
  })
}

/** Returns a clause that follows "response.fail_if of the skill calls this a failure: ". */
export function writeCondition(condition: FailCondition): string {
  if (condition.kind === 'contains') return `it contains ${JSON.stringify(condition.text)}`
  const where = condition.pointer === '' ? 'the answer' : condition.pointer
  return `${where} is ${JSON.stringify(condition.value)}`
}

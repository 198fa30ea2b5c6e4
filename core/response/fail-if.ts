/**
 * The conditions under which an answer counts as a failure although its status is a success
 * (`response.fail_if`): many APIs answer 200 with an error in the body, which nobody should pay for.
 * Judges the upstream's own text, before anything is picked or masked. A number equals another only
 * if no digit differs.
 */
import type { Result } from '../errors.ts'
import type { Json } from '../json/json.ts'
import { atPointer } from '../json/json-pointer.ts'
import type { FailCondition } from '../skills/skill.ts'

export type AnswerText = {
  readonly text: string
  /** Parsed once, by the first that asks. Its numbers are exact (core/json/raw-number.ts). */
  parsed(): Result<Json>
}

/** The first condition that holds. A pointer holds for nothing in a text that is not JSON. */
export function failingCondition(
  answer: AnswerText,
  conditions: readonly FailCondition[] = [],
): FailCondition | undefined {
  return conditions.find((condition) => {
    if (condition.kind === 'contains') return answer.text.includes(condition.text)
    const parsed = answer.parsed()
    return parsed.ok && atPointer(parsed.value, condition.pointer) === condition.value
  })
}

/** A clause that reads after "response.fail_if of the skill calls this a failure: ". */
export function conditionText(condition: FailCondition): string {
  if (condition.kind === 'contains') return `it contains ${JSON.stringify(condition.text)}`
  const where = condition.pointer === '' ? 'the answer' : condition.pointer
  return `${where} is ${JSON.stringify(condition.value)}`
}

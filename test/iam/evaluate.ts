/**
 * Whether statements allow a request. Bound by the IAM User Guide: "Policy evaluation logic" (a request is
 * denied unless a statement allows it), "IAM JSON policy elements: Condition operators" (a key that the request
 * lacks does not match) and "Multivalued context keys" (`ForAllValues` holds for a request without the key).
 */
import { hasConditionKey, isKnownAction } from './condition-keys.ts'
import type { Condition, Statement } from './policy.ts'

/** One question to IAM. A request to a service asks one for each action and resource that it needs. */
export type Authorization = {
  readonly action: string
  readonly resource: string
  /** Condition key → its values; a key that the request lacks is not there. */
  readonly context: { readonly [key: string]: readonly string[] }
}

export function allows(statements: readonly Statement[], asked: Authorization): boolean {
  if (!isKnownAction(asked.action)) throw new Error(`iam: unknown action ${asked.action}`)
  for (const key of Object.keys(asked.context)) {
    if (!hasConditionKey(asked.action, key)) throw new Error(`iam: ${asked.action} has no ${key}`)
  }
  const applying = statements.filter((statement) => applies(statement, asked))
  return applying.length > 0 && applying.every(({ isDenial }) => isDenial !== true)
}

function applies({ actions, resources, conditions }: Statement, asked: Authorization): boolean {
  return (
    actions.includes(asked.action) &&
    resources.some((pattern) => isLike(pattern, asked.resource)) &&
    conditions.every((condition) => holds(condition, asked.context[condition.key]))
  )
}

function holds({ operator, values }: Condition, found: readonly string[] | undefined): boolean {
  const equals = (one: string) => values.includes(one)
  const like = (one: string) => values.some((pattern) => isLike(pattern, one))
  switch (operator) {
    case 'Null':
      return values.includes(found === undefined || found.length === 0 ? 'true' : 'false')
    case 'ForAllValues:StringEquals':
      return (found ?? []).every(equals)
    case 'ForAllValues:StringLike':
      return (found ?? []).every(like)
    case 'StringLike':
      return found?.some(like) ?? false
    case 'StringEquals':
    case 'Bool':
      return found?.some(equals) ?? false
    default:
      return operator satisfies never
  }
}

/** `*` stands for any characters and `?` for one; letters count as they are written. */
function isLike(pattern: string, text: string): boolean {
  const parts = [...pattern].map((char) => {
    if (char === '*') return '.*'
    if (char === '?') return '.'
    return char.replace(/[\\^$.*+?()[\]{}|/-]/, '\\$&')
  })
  return new RegExp(`^${parts.join('')}$`, 's').test(text)
}

/** A conditional write: its input, and a refused condition as a value with the item that refused it. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { type Item, itemFromWire } from './item.ts'

/** `old` is the item that did not meet the condition; undefined when there is none. */
export type ConditionRefusal = { readonly kind: 'refused'; readonly old: Item | undefined }

export function condition(text: string | undefined): {
  ConditionExpression?: string
  ReturnValuesOnConditionCheckFailure?: 'ALL_OLD'
} {
  if (text === undefined) return {}
  return { ConditionExpression: text, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }
}

export function refusedOr(cause: unknown): ConditionRefusal {
  if (!isRefusedCondition(cause)) throw cause
  return { kind: 'refused', old: cause.Item === undefined ? undefined : itemFromWire(cause.Item) }
}

/** By its name, which the errors of both clients have. */
export function isRefusedCondition(
  cause: unknown,
): cause is Error & { readonly Item?: Record<string, AttributeValue> } {
  return cause instanceof Error && cause.name === 'ConditionalCheckFailedException'
}

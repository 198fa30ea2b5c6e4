/** A conditional write: members of its input, and a refusal as a value with the stored item. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { type Item, itemFromWire } from './item.ts'

/** `old` is the item that did not meet the condition; undefined if no item is stored. */
export type ConditionRefusal = { readonly kind: 'refused'; readonly old: Item | undefined }

/** The members of a write's input for its condition; requests the old item with a refusal. */
export function condition(text: string | undefined): {
  ConditionExpression?: string
  ReturnValuesOnConditionCheckFailure?: 'ALL_OLD'
} {
  if (text === undefined) return {}
  return { ConditionExpression: text, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }
}

/** The refusal in the error of a write. Throws every other error again. */
export function refusedOr(cause: unknown): ConditionRefusal {
  if (!isRefusedCondition(cause)) throw cause
  return { kind: 'refused', old: cause.Item === undefined ? undefined : itemFromWire(cause.Item) }
}

/** Compares the error's name, which is the same with both clients. */
export function isRefusedCondition(
  cause: unknown,
): cause is Error & { readonly Item?: Record<string, AttributeValue> } {
  return cause instanceof Error && cause.name === 'ConditionalCheckFailedException'
}

/**
 * Expressions of the store, in which every attribute is written as `#name`. This file makes the map
 * of names from the text, so no reserved word (`ttl`, `minute`, `state`) breaks an expression. A
 * refused condition becomes a value with the stored item.
 */
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { type Item, readWireItem } from './item.ts'

export type ExpressionValues = { readonly [name: string]: unknown }

export type Expression = {
  /** Values for `:name`, without the colon. The expression must use each of them. */
  readonly values?: ExpressionValues
  /** The attribute that `#name` stands for, if their names differ: `{ callId: 'c-1' }`. */
  readonly names?: { readonly [name: string]: string }
}

export type ExpressionInput = {
  ExpressionAttributeNames?: Record<string, string>
  ExpressionAttributeValues?: Record<string, unknown>
}

/** The two maps of names and values that a request with these expressions needs. */
export function expressionInput(
  texts: readonly (string | undefined)[],
  { values = {}, names = {} }: Expression,
): ExpressionInput {
  const used = new Set(texts.flatMap((text) => text?.match(/#\w+/g) ?? []))
  const input: ExpressionInput = {}
  if (used.size > 0) {
    const entries = [...used].map((token) => [token, names[token.slice(1)] ?? token.slice(1)])
    input.ExpressionAttributeNames = Object.fromEntries(entries)
  }
  const placeholders = Object.entries(values).map(([name, value]) => [`:${name}`, value])
  if (placeholders.length > 0) input.ExpressionAttributeValues = Object.fromEntries(placeholders)
  return input
}

/** `old` is the item that did not meet the condition; undefined if no item is stored. */
export type ConditionRefusal = { readonly kind: 'refused'; readonly old: Item | undefined }

/** The members of a write's input for its condition; requests the old item with a refusal. */
export function conditionInput(text: string | undefined): {
  ConditionExpression?: string
  ReturnValuesOnConditionCheckFailure?: 'ALL_OLD'
} {
  if (text === undefined) return {}
  return { ConditionExpression: text, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }
}

/** The refusal in the error of a write. Throws every other error again. */
export function readRefusalOrThrow(cause: unknown): ConditionRefusal {
  if (!isRefusedCondition(cause)) throw cause
  return { kind: 'refused', old: cause.Item === undefined ? undefined : readWireItem(cause.Item) }
}

/** Compares the error's name, which is the same with both clients. */
export function isRefusedCondition(
  cause: unknown,
): cause is Error & { readonly Item?: Record<string, AttributeValue> } {
  return cause instanceof Error && cause.name === 'ConditionalCheckFailedException'
}

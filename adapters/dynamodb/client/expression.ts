/**
 * Expressions that write every attribute as `#name`. The map of names is made from the text, so no
 * reserved word (`ttl`, `minute`, `state`) can break an expression.
 */

export type ExpressionValues = { readonly [name: string]: unknown }

export type Expression = {
  /** Values for `:name`, without the colon. The expression must use each of them. */
  readonly values?: ExpressionValues
  /** The attribute behind `#name` where the two differ: `{ callId: 'c-1' }`. */
  readonly names?: { readonly [name: string]: string }
}

export type ExpressionInput = {
  ExpressionAttributeNames?: Record<string, string>
  ExpressionAttributeValues?: Record<string, unknown>
}

/** The SDK's two maps for the given texts. */
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

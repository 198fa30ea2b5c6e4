/** Names and values that a request binds. As DynamoDB, it refuses one that no expression uses. */
import { cacheByText } from './compile-operand.ts'
import { makeValidationError } from './refused.ts'
import { toCanonicalMap, type ValueMap } from './value.ts'

export type Bindings = {
  readonly names: { readonly [name: string]: string }
  readonly values: ValueMap
}

type Bound = {
  readonly ExpressionAttributeNames?: Record<string, string> | undefined
  readonly ExpressionAttributeValues?: Record<string, unknown> | undefined
}

const NONE: ValueMap = {}

/**
 * `texts`: the request's expressions. Throws `RefusedRequest` for a name or value that none of them
 * uses.
 */
export function readBindings(input: Bound, texts: readonly (string | undefined)[]): Bindings {
  const { ExpressionAttributeNames: names, ExpressionAttributeValues: bound } = input
  for (const name in names) {
    if (!isUsed(name, texts)) throw unused('ExpressionAttributeNames', name)
  }
  for (const name in bound) {
    if (!isUsed(name, texts)) throw unused('ExpressionAttributeValues', name)
  }
  return { names: names ?? {}, values: bound === undefined ? NONE : toCanonicalMap(bound) }
}

const findTokens = cacheByText((text) => new Set(text.match(/[#:]\w+/g) ?? []))

function isUsed(name: string, texts: readonly (string | undefined)[]): boolean {
  return texts.some((text) => text !== undefined && findTokens(text).has(name))
}

function unused(map: string, name: string) {
  return makeValidationError(`Value provided in ${map} unused in expressions: keys: {${name}}`)
}

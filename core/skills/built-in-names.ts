/** Names of the built-in tools (core/flow/tools/built-in-tools.ts), which no skill may have. */

/** Names without the prefix, in alphabetical order, as in tool lists. */
export const BUILT_IN_NAMES = ['account', 'issue_key', 'search_skills', 'usage'] as const

export type BuiltInName = (typeof BUILT_IN_NAMES)[number]

/** Returns the built-in tool of that name; undefined for any other name. */
export function findBuiltInName(prefix: string, toolName: string): BuiltInName | undefined {
  return BUILT_IN_NAMES.find((name) => toolName === `${prefix}_${name}`)
}

/** True for ids that no skill may have. */
export function isReservedId(prefix: string, skillId: string): boolean {
  return findBuiltInName(prefix, skillId) !== undefined
}

/** The names of the built-in tools, which no skill may take. The tools are in core/flow/tools/built-in-tools.ts. */

/** Without the prefix, in alphabetical order, as tool lists have them. */
export const BUILT_IN_NAMES = ['account', 'call', 'search_skills', 'usage'] as const

/** Those in a list that has all tools. */
export const FULL_LIST_NAMES = ['account', 'search_skills', 'usage'] as const
/** The short list: the search leads to all other tools, `usage` among them. */
export const SHORT_LIST_NAMES = ['account', 'call', 'search_skills'] as const

export type BuiltInName = (typeof BUILT_IN_NAMES)[number]

/** The built-in tool that a name means; undefined for any other name, which must be resolved. */
export function builtInName(prefix: string, toolName: string): BuiltInName | undefined {
  return BUILT_IN_NAMES.find((name) => toolName === `${prefix}_${name}`)
}

/** True for ids that no skill may have. */
export function isReserved(prefix: string, skillId: string): boolean {
  return builtInName(prefix, skillId) !== undefined
}

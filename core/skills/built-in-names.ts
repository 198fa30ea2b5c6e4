/** Names of the built-in tools (core/flow/tools/built-in-tools.ts), which no skill may have. */
import type { ToolListKind } from './tool-list-kind.ts'

/** Names without the prefix, in alphabetical order, as in tool lists. */
export const BUILT_IN_NAMES = ['account', 'call', 'search_skills', 'usage'] as const

/**
 * The built-in tools of each kind of tool list. The search leads users of the short list to all
 * other tools, `usage` among them.
 */
export const NAMES_BY_LIST: { readonly [kind in ToolListKind]: readonly BuiltInName[] } = {
  all: ['account', 'search_skills', 'usage'],
  search: ['account', 'call', 'search_skills'],
}

export type BuiltInName = (typeof BUILT_IN_NAMES)[number]

/** Returns the built-in tool of that name; undefined for any other name. */
export function findBuiltInName(prefix: string, toolName: string): BuiltInName | undefined {
  return BUILT_IN_NAMES.find((name) => toolName === `${prefix}_${name}`)
}

/** True for ids that no skill may have. */
export function isReservedId(prefix: string, skillId: string): boolean {
  return findBuiltInName(prefix, skillId) !== undefined
}

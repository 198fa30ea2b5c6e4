/** The kinds of tool lists that a stage or a user may have (docs/service.md, Short tool list). */
export const TOOL_LIST_KINDS = ['all', 'search'] as const

/** `all`: every tool. `search`: the search, a tool that calls what it found, and the account. */
export type ToolListKind = (typeof TOOL_LIST_KINDS)[number]

export function isToolListKind(value: unknown): value is ToolListKind {
  return TOOL_LIST_KINDS.some((kind) => kind === value)
}

/** Names of the built-in tools (core/flow/tools/built-in-tools.ts), which no skill may have. */
import type { ToolListKind } from './tool-list-kind.ts'

/** Names without the prefix, in alphabetical order, as in tool lists. */
export const BUILT_IN_NAMES = [
  'account',
  'call',
  'cancel_task',
  'issue_key',
  'read_result',
  'search_skills',
  'task',
  'usage',
] as const

export type BuiltInName = (typeof BUILT_IN_NAMES)[number]

/**
 * The built-in tools of each kind of tool list. The search leads users of the short list to all
 * other tools, `usage` among them.
 */
export const NAMES_BY_LIST: { readonly [kind in ToolListKind]: readonly BuiltInName[] } = {
  all: ['account', 'read_result', 'search_skills', 'usage'],
  search: ['account', 'call', 'search_skills'],
}

/**
 * Answered where calls are made, since messages may neither issue keys nor read results
 * (core/flow/tools/execute-built-in.ts).
 */
export const CALL_SIDE_NAMES = ['issue_key', 'read_result'] as const

export type CallSideName = (typeof CALL_SIDE_NAMES)[number]

export function isCallSide(name: BuiltInName): name is CallSideName {
  return CALL_SIDE_NAMES.some((one) => one === name)
}

/** Listed only for callers who see a skill that runs as a task alone; called by anyone. */
export const TASK_TOOL_NAMES: readonly BuiltInName[] = ['cancel_task', 'task']

/** Returns the built-in tool of that name; undefined for any other name. */
export function findBuiltInName(prefix: string, toolName: string): BuiltInName | undefined {
  return BUILT_IN_NAMES.find((name) => toolName === `${prefix}_${name}`)
}

/** True for ids that no skill may have. */
export function isReservedId(prefix: string, skillId: string): boolean {
  return findBuiltInName(prefix, skillId) !== undefined
}

/** Names of the built-in tools (core/flow/tools/built-in-tools.ts), which no skill may have. */

/** Names without the prefix, in alphabetical order, as in tool lists. */
export const BUILT_IN_NAMES = ['account', 'search_skills', 'usage'] as const

/** Listed only for callers who see a skill that runs as a task alone; called by anyone. */
export const TASK_TOOL_NAMES = ['cancel_task', 'task'] as const

export type BuiltInName = (typeof BUILT_IN_NAMES)[number] | (typeof TASK_TOOL_NAMES)[number]

/** Returns the built-in tool of that name; undefined for any other name. */
export function findBuiltInName(prefix: string, toolName: string): BuiltInName | undefined {
  return [...BUILT_IN_NAMES, ...TASK_TOOL_NAMES].find((name) => toolName === `${prefix}_${name}`)
}

export function isTaskToolName(prefix: string, toolName: string): boolean {
  return TASK_TOOL_NAMES.some((name) => toolName === `${prefix}_${name}`)
}

/** True for ids that no skill may have. */
export function isReservedId(prefix: string, skillId: string): boolean {
  return findBuiltInName(prefix, skillId) !== undefined
}

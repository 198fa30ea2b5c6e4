/**
 * Lists the built-in tools about tasks exactly for callers who see a skill that runs as a task
 * alone. Others have no use for them. Bound by docs/service.md, Built-in tools.
 */
import type { Tool } from '../../skills/skill.ts'
import { compareNames } from '../../skills/tool-list.ts'

/**
 * Returns the sorted list with `taskTools`, or without them. A list that needs no change is
 * returned itself, since pages are cached by it.
 */
export function fitTaskTools(tools: readonly Tool[], taskTools: readonly Tool[]): readonly Tool[] {
  const names = new Set(taskTools.map(({ name }) => name))
  const isWanted = tools.some(({ needsTask }) => needsTask === true)
  if (isWanted === tools.some(({ name }) => names.has(name))) return tools
  return isWanted
    ? [...tools, ...taskTools].sort(compareNames)
    : tools.filter(({ name }) => !names.has(name))
}

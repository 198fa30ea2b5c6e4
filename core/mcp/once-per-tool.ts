/**
 * Caches a tool's entry by the tool object. Lists are requested far more often than they change,
 * and making an entry takes microseconds.
 */
import type { Tool } from '../skills/skill.ts'

/** Tools never change in place. The map has weak keys, so that it keeps no tool in memory. */
export function cachePerTool<Entry extends object>(
  entryOf: (tool: Tool) => Entry,
): (tool: Tool) => Entry {
  const entries = new WeakMap<Tool, Entry>()
  return (tool) => {
    const cached = entries.get(tool)
    if (cached !== undefined) return cached
    const entry = entryOf(tool)
    entries.set(tool, entry)
    return entry
  }
}

/**
 * Caches a tool's entry for as long as the tool is the same object. Lists are requested far more
 * often than they change, and an entry takes microseconds to make.
 */
import type { Tool } from '../skills/skill.ts'

/** Tools are never changed in place; the weak map drops tools that are no longer referenced. */
export function oncePerTool<Entry extends object>(
  entryOf: (tool: Tool) => Entry,
): (tool: Tool) => Entry {
  const entries = new WeakMap<Tool, Entry>()
  return (tool) => {
    const known = entries.get(tool)
    if (known !== undefined) return known
    const entry = entryOf(tool)
    entries.set(tool, entry)
    return entry
  }
}

/**
 * Checks how deep a JSON value nests. The walk has no recursion: JSON.parse accepts a million
 * nested brackets, and a recursive walk of the result would exhaust the stack.
 */
import type { Json } from './json.ts'

/** True if any value is inside more than `depthMax` arrays and objects. A scalar has depth 0. */
export function isDeeperThan(value: Json, depthMax: number): boolean {
  let level: readonly Json[] = [value]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > depthMax) return true
    level = level.flatMap(listChildren)
  }
  return false
}

/** An empty array or object gets one child, because it is a level of its own. */
function listChildren(value: Json): readonly Json[] {
  if (typeof value !== 'object' || value === null) return []
  const inside = Array.isArray(value) ? value : Object.values(value)
  return inside.length === 0 ? [null] : inside
}

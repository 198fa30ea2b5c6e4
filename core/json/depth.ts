/**
 * How deep a JSON value nests. Walks without recursion: JSON.parse accepts a million brackets, and
 * JSON.stringify of the resulting value would exhaust the stack.
 */
import type { Json } from './json.ts'

/** True when a value lies below more than `depthMax` arrays and objects. A scalar has depth 0. */
export function isDeeperThan(value: Json, depthMax: number): boolean {
  let level: readonly Json[] = [value]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > depthMax) return true
    level = level.flatMap(childrenOf)
  }
  return false
}

/** An empty array or object gets a child, because it counts as a level itself. */
function childrenOf(value: Json): readonly Json[] {
  if (typeof value !== 'object' || value === null) return []
  const inside = Array.isArray(value) ? value : Object.values(value)
  return inside.length === 0 ? [null] : inside
}

/**
 * What differs between two JSON values, member by member, each with its pointer. Arrays are compared by
 * index. The walk ends after `max` differences; the names of objects have no order.
 */
import { isJsonObject, type Json } from './json.ts'
import { jsonPointer } from './json-pointer.ts'

/** Without `before` it was added; without `after` it was removed. */
export type Difference = { readonly pointer: string; readonly before?: Json; readonly after?: Json }

type Walk = { readonly found: Difference[]; readonly max: number }

/** `more`: there are others. */
export function jsonDiff(
  before: Json,
  after: Json,
  max: number,
): { differences: readonly Difference[]; more: boolean } {
  const walk: Walk = { found: [], max: max + 1 }
  compare(walk, [], { before, after })
  return { differences: walk.found.slice(0, max), more: walk.found.length > max }
}

type Pair = { readonly before?: Json; readonly after?: Json }

function compare(walk: Walk, path: readonly (string | number)[], pair: Pair): void {
  if (walk.found.length >= walk.max) return
  const { after, before } = pair
  const names = before === undefined || after === undefined ? undefined : namesIn(before, after)
  if (names === undefined) {
    if (before !== after) walk.found.push({ pointer: jsonPointer(path), ...pair })
    return
  }
  for (const name of names) {
    compare(walk, [...path, name], {
      ...memberOf('before', before, name),
      ...memberOf('after', after, name),
    })
  }
}

/** Members of both together; undefined unless both are objects, or both arrays. */
function namesIn(before: Json, after: Json): readonly (string | number)[] | undefined {
  if (Array.isArray(before) && Array.isArray(after)) {
    return Array.from({ length: Math.max(before.length, after.length) }, (_, index) => index)
  }
  if (!isJsonObject(before) || !isJsonObject(after)) return undefined
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
}

function memberOf(side: 'before' | 'after', value: Json | undefined, name: string | number): Pair {
  if (Array.isArray(value)) {
    const item = typeof name === 'number' ? value[name] : undefined
    return item === undefined ? {} : { [side]: item }
  }
  const isMember = isJsonObject(value) && Object.hasOwn(value, name)
  const member = isMember ? value[name] : undefined
  return member === undefined ? {} : { [side]: member }
}

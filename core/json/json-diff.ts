/**
 * Lists the differences between two JSON values, member by member, each with its pointer. Arrays
 * are compared by index. The order of an object's members does not matter.
 */
import { isJsonObject, type Json } from './json.ts'
import { toJsonPointer } from './json-pointer.ts'

/** Without `before`, the value was added. Without `after`, the value was removed. */
export type Difference = { readonly pointer: string; readonly before?: Json; readonly after?: Json }

type Walk = { readonly found: Difference[]; readonly max: number }

/** Stops after `max` differences; `more` is true if there are others. */
export function diffJson(
  before: Json,
  after: Json,
  max: number,
): { differences: readonly Difference[]; more: boolean } {
  const walk: Walk = { found: [], max: max + 1 }
  addDifferences(walk, [], { before, after })
  return { differences: walk.found.slice(0, max), more: walk.found.length > max }
}

type Pair = { readonly before?: Json; readonly after?: Json }

function addDifferences(walk: Walk, path: readonly (string | number)[], pair: Pair): void {
  if (walk.found.length >= walk.max) return
  const { after, before } = pair
  const names = before === undefined || after === undefined ? undefined : listNames(before, after)
  if (names === undefined) {
    if (before !== after) walk.found.push({ pointer: toJsonPointer(path), ...pair })
    return
  }
  for (const name of names) {
    addDifferences(walk, [...path, name], {
      ...pickMember('before', before, name),
      ...pickMember('after', after, name),
    })
  }
}

/**
 * Returns the member names of both values; undefined unless both are objects or both are arrays.
 */
function listNames(before: Json, after: Json): readonly (string | number)[] | undefined {
  if (Array.isArray(before) && Array.isArray(after)) {
    return Array.from({ length: Math.max(before.length, after.length) }, (_, index) => index)
  }
  if (!isJsonObject(before) || !isJsonObject(after)) return undefined
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
}

function pickMember(
  side: 'before' | 'after',
  value: Json | undefined,
  name: string | number,
): Pair {
  if (Array.isArray(value)) {
    const item = typeof name === 'number' ? value[name] : undefined
    return item === undefined ? {} : { [side]: item }
  }
  const isMember = isJsonObject(value) && Object.hasOwn(value, name)
  const member = isMember ? value[name] : undefined
  return member === undefined ? {} : { [side]: member }
}

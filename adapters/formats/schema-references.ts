/**
 * Where the `$ref`s of a schema lead: to a place in it, never in a circle that looks at one value
 * again and again, and not so often that a short schema becomes a long computation.
 */
import type { FieldFault } from '../../core/errors.ts'
import { isJsonObject, type Json } from '../../core/json/json.ts'
import { jsonPointer } from '../../core/json/json-pointer.ts'
import { isInPlace, schemasUnder } from '../../core/json/schema-keywords.ts'

/**
 * Schemas that one value is held against at most, references followed. Twenty lines of
 * `allOf: [{$ref}, {$ref}]` would otherwise make a million. Recursion through deeper values is not
 * counted here: the depth of arguments bounds it.
 */
export const CHECKS_PER_VALUE_MAX = 1000

type Costs = Map<string, number | 'open'>

/** `found` holds every schema of the document by its pointer. */
export function referenceFaults(found: ReadonlyMap<string, Json>): readonly FieldFault[] {
  const costs: Costs = new Map()
  const lost = [...found].flatMap(([pointer, schema]) => lostReference(found, pointer, schema))
  if (lost.length > 0) return lost
  for (const pointer of found.keys()) {
    const cost = costOf(found, pointer, costs)
    if (cost === Number.POSITIVE_INFINITY) {
      return [{ pointer, message: 'refers to itself without end; let the circle pass a property' }]
    }
    if (cost > CHECKS_PER_VALUE_MAX) {
      const message = `makes over ${CHECKS_PER_VALUE_MAX} checks of one value; refer less often`
      return [{ pointer, message }]
    }
  }
  return []
}

/** `#` and `#/$defs/a~1b` as a pointer; undefined for every reference that leads elsewhere. */
export function localPointer(reference: string): string | undefined {
  if (reference === '#') return ''
  if (!reference.startsWith('#/')) return undefined
  try {
    return decodeURIComponent(reference.slice(1))
  } catch (cause) {
    if (cause instanceof URIError) return undefined
    throw cause
  }
}

function lostReference(
  found: ReadonlyMap<string, Json>,
  pointer: string,
  schema: Json,
): readonly FieldFault[] {
  if (!isJsonObject(schema) || schema['$ref'] === undefined) return []
  const target = typeof schema['$ref'] === 'string' ? localPointer(schema['$ref']) : undefined
  if (target !== undefined && found.has(target)) return []
  const message =
    target === undefined
      ? 'must be "#" or "#/…": references out of the schema are never fetched'
      : 'leads to no schema in this document; check the path'
  return [{ pointer: `${pointer}/$ref`, message }]
}

/** How many schemas one value meets from here on; infinite in a circle. Depth-first, remembered. */
function costOf(found: ReadonlyMap<string, Json>, pointer: string, costs: Costs): number {
  const known = costs.get(pointer)
  if (known === 'open') return Number.POSITIVE_INFINITY
  if (known !== undefined) return known
  costs.set(pointer, 'open')
  let cost = 1
  for (const next of inPlace(found.get(pointer), pointer)) cost += costOf(found, next, costs)
  costs.set(pointer, cost)
  return cost
}

function inPlace(schema: Json | undefined, pointer: string): readonly string[] {
  if (!isJsonObject(schema)) return []
  const target = typeof schema['$ref'] === 'string' ? localPointer(schema['$ref']) : undefined
  const inside = Object.entries(schema)
    .filter(([keyword]) => isInPlace(keyword))
    .flatMap(([keyword, value]) =>
      schemasUnder(keyword, value).map(([path]) => `${pointer}${jsonPointer([keyword, ...path])}`),
    )
  return target === undefined ? inside : [target, ...inside]
}

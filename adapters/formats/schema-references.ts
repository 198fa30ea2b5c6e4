/**
 * Checks the `$ref`s of a schema: each names a place in the schema, none is circular for one value,
 * and they do not make a short schema a long computation.
 */
import type { FieldError } from '../../core/errors.ts'
import { isJsonObject, type Json } from '../../core/json/json.ts'
import { toJsonPointer } from '../../core/json/json-pointer.ts'
import { isInPlace, listInnerSchemas } from '../../core/json/schema-keywords.ts'

/**
 * Schemas that one value is checked against, with references followed. Without this limit, twenty
 * lines of `allOf: [{$ref}, {$ref}]` make a million. Recursion through nested values is not
 * included: the depth of arguments bounds it.
 */
export const CHECKS_PER_VALUE_MAX = 1000

type Costs = Map<string, number | 'open'>

/** `found` maps the pointer of every schema in the document to the schema. */
export function findReferenceErrors(found: ReadonlyMap<string, Json>): readonly FieldError[] {
  const costs: Costs = new Map()
  const lost = [...found].flatMap(([pointer, schema]) => findLostReference(found, pointer, schema))
  if (lost.length > 0) return lost
  for (const pointer of found.keys()) {
    const cost = countChecks(found, pointer, costs)
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

/**
 * The pointer in `#` or `#/$defs/a~1b`; undefined for a reference to another document or an anchor.
 */
export function readLocalPointer(reference: string): string | undefined {
  if (reference === '#') return ''
  if (!reference.startsWith('#/')) return undefined
  try {
    return decodeURIComponent(reference.slice(1))
  } catch (cause) {
    if (cause instanceof URIError) return undefined
    throw cause
  }
}

function findLostReference(
  found: ReadonlyMap<string, Json>,
  pointer: string,
  schema: Json,
): readonly FieldError[] {
  if (!isJsonObject(schema) || schema['$ref'] === undefined) return []
  const target = typeof schema['$ref'] === 'string' ? readLocalPointer(schema['$ref']) : undefined
  if (target !== undefined && found.has(target)) return []
  const message =
    target === undefined
      ? 'must be "#" or "#/…": references out of the schema are never fetched'
      : 'leads to no schema in this document; check the path'
  return [{ pointer: `${pointer}/$ref`, message }]
}

/** How many schemas apply to one value from here on; infinite in a circle. Results are cached. */
function countChecks(found: ReadonlyMap<string, Json>, pointer: string, costs: Costs): number {
  const known = costs.get(pointer)
  if (known === 'open') return Number.POSITIVE_INFINITY
  if (known !== undefined) return known
  costs.set(pointer, 'open')
  let cost = 1
  for (const next of listInPlace(found.get(pointer), pointer))
    cost += countChecks(found, next, costs)
  costs.set(pointer, cost)
  return cost
}

function listInPlace(schema: Json | undefined, pointer: string): readonly string[] {
  if (!isJsonObject(schema)) return []
  const target = typeof schema['$ref'] === 'string' ? readLocalPointer(schema['$ref']) : undefined
  const inside = Object.entries(schema)
    .filter(([keyword]) => isInPlace(keyword))
    .flatMap(([keyword, value]) =>
      listInnerSchemas(keyword, value).map(
        ([path]) => `${pointer}${toJsonPointer([keyword, ...path])}`,
      ),
    )
  return target === undefined ? inside : [target, ...inside]
}

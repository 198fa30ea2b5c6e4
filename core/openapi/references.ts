/**
 * References inside one document (`#/…`). A reference counts only where an object of OpenAPI may be
 * one: never in examples, constants or extensions, and a property may be called `$ref`. Nothing outside
 * the document is ever read.
 */
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { EXTERNAL_SHOWN_MAX, REFERENCE_STEPS_MAX } from './limits.ts'
import { spendOn } from './work-budget.ts'

/** The value at a reference such as `#/components/schemas/Pet`; undefined when nothing is there. */
export function valueAtReference(document: JsonObject, reference: string): Json | undefined {
  if (reference === '#') return document
  if (!reference.startsWith('#/')) return undefined
  const ofDocument = known.get(document) ?? new Map<string, Json | undefined>()
  known.set(document, ofDocument)
  if (!ofDocument.has(reference)) ofDocument.set(reference, findValue(document, reference))
  return ofDocument.get(reference)
}

/** Large documents have ten thousand references to a hundred places. Keyed weakly. */
const known = new WeakMap<JsonObject, Map<string, Json | undefined>>()

function findValue(document: JsonObject, reference: string): Json | undefined {
  let value: Json | undefined = document
  for (const part of reference.slice(2).split('/')) value = childOf(value, nameOf(part))
  return value
}

function childOf(value: Json | undefined, name: string | undefined): Json | undefined {
  if (name === undefined) return undefined
  if (Array.isArray(value)) return /^\d+$/.test(name) ? value[Number(name)] : undefined
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

/** The object behind any number of references; undefined for a circle, or where nothing is. */
export function resolved(document: JsonObject, value: Json | undefined): JsonObject | undefined {
  spendOn(document, 1)
  let at = value
  for (let step = 0; step <= REFERENCE_STEPS_MAX; step += 1) {
    if (!isJsonObject(at)) return undefined
    const reference: Json | undefined = at['$ref']
    if (typeof reference !== 'string') return at
    at = valueAtReference(document, reference)
  }
  return undefined
}

/** JSON Pointer in a URI fragment (RFC 6901, 6). */
function nameOf(part: string): string | undefined {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    // A lone % is no encoding; the URIError adds nothing.
    return undefined
  }
}

const DATA = new Set(['example', 'examples', 'default', 'const', 'enum', 'value'])
/** Their members are names, not keywords. */
const MAPS = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
])

/** References that lead out of the document, each once, the first ones. */
export function externalReferences(document: JsonObject): readonly string[] {
  const found = new Set<string>()
  const stack: Inside[] = [{ value: document, isMap: false }]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (found.size >= EXTERNAL_SHOWN_MAX) break
    const { isMap, value } = next
    if (isJsonObject(value)) {
      const reference = value['$ref']
      const isOutside = typeof reference === 'string' && !reference.startsWith('#')
      if (isOutside && !isMap) found.add(reference)
    }
    for (const one of insideOf(next)) stack.push(one)
  }
  return [...found]
}

/** A value, and whether the names of its members are no keywords. */
export type Inside = { readonly value: Json; readonly isMap: boolean }

/** The arrays and objects in a value that may hold references, each with its name or index. */
export function insideOf({
  isMap,
  value,
}: Inside): readonly (Inside & { readonly name: string })[] {
  if (Array.isArray(value)) {
    return value.map((item: Json, index) => ({ name: String(index), value: item, isMap: false }))
  }
  if (!isJsonObject(value)) return []
  return Object.entries(value)
    .filter(([name, inner]) => {
      const isData = !isMap && (DATA.has(name) || name.startsWith('x-'))
      return typeof inner === 'object' && inner !== null && !isData
    })
    .map(([name, inner]) => ({ name, value: inner, isMap: !isMap && MAPS.has(name) }))
}

/**
 * References inside one document (`#/…`). A reference counts only where an object of OpenAPI may be
 * one: never in examples, constants or extensions, and a property may be called `$ref`. Nothing outside
 * the document is ever read.
 */
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { EXTERNAL_SHOWN_MAX, REFERENCE_STEPS_MAX } from './limits.ts'

/** The value at a reference such as `#/components/schemas/Pet`; undefined when nothing is there. */
export function valueAtReference(document: JsonObject, reference: string): Json | undefined {
  if (reference === '#') return document
  if (!reference.startsWith('#/')) return undefined
  let value: Json | undefined = document
  for (const part of reference.slice(2).split('/')) {
    const name = nameOf(part)
    if (name === undefined) return undefined
    if (Array.isArray(value)) value = /^\d+$/.test(name) ? value[Number(name)] : undefined
    else value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
  }
  return value
}

/** The object behind any number of references; undefined for a circle, or where nothing is. */
export function resolved(document: JsonObject, value: Json | undefined): JsonObject | undefined {
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
  const left: { readonly value: Json; readonly isMap: boolean }[] = [
    { value: document, isMap: false },
  ]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (found.size >= EXTERNAL_SHOWN_MAX) break
    const { isMap, value } = next
    if (Array.isArray(value)) {
      for (const item of value as readonly Json[]) left.push({ value: item, isMap: false })
    } else if (isJsonObject(value)) {
      const reference = value['$ref']
      if (!isMap && typeof reference === 'string' && !reference.startsWith('#'))
        found.add(reference)
      for (const [name, inner] of Object.entries(value)) {
        if (typeof inner !== 'object' || inner === null) continue
        if (!isMap && (DATA.has(name) || name.startsWith('x-'))) continue
        left.push({ value: inner, isMap: !isMap && MAPS.has(name) })
      }
    }
  }
  return [...found]
}

/**
 * Resolves references inside one document (`#/…`). A `$ref` in examples, constants or extensions is
 * data, and a property may have the name `$ref`; neither is a reference. Nothing outside the
 * document is ever read.
 */
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { EXTERNAL_SHOWN_MAX, REFERENCE_STEPS_MAX } from './limits.ts'
import { spendDocumentSteps } from './work-budget.ts'

/** Returns the value at a reference such as `#/components/schemas/Pet`; undefined without one. */
export function readReference(document: JsonObject, reference: string): Json | undefined {
  if (reference === '#') return document
  if (!reference.startsWith('#/')) return undefined
  const ofDocument = cache.get(document) ?? new Map<string, Json | undefined>()
  cache.set(document, ofDocument)
  if (!ofDocument.has(reference)) ofDocument.set(reference, findValue(document, reference))
  return ofDocument.get(reference)
}

/** Large documents have ten thousand references to a hundred places. The keys are weak. */
const cache = new WeakMap<JsonObject, Map<string, Json | undefined>>()

function findValue(document: JsonObject, reference: string): Json | undefined {
  let value: Json | undefined = document
  for (const part of reference.slice(2).split('/')) value = readChild(value, decodePart(part))
  return value
}

function readChild(value: Json | undefined, name: string | undefined): Json | undefined {
  if (name === undefined) return undefined
  if (Array.isArray(value)) return /^\d+$/.test(name) ? value[Number(name)] : undefined
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

/** Follows references to an object; undefined for a circle, and if there is no object. */
export function resolveObject(
  document: JsonObject,
  value: Json | undefined,
): JsonObject | undefined {
  spendDocumentSteps(document, 1)
  let at = value
  for (let step = 0; step <= REFERENCE_STEPS_MAX; step += 1) {
    if (!isJsonObject(at)) return undefined
    const reference: Json | undefined = at['$ref']
    if (typeof reference !== 'string') return at
    at = readReference(document, reference)
  }
  return undefined
}

/** Decodes a part of a JSON Pointer in a URI fragment (RFC 6901, 6). */
function decodePart(part: string): string | undefined {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    // A lone % is not an encoding; the URIError adds nothing.
    return undefined
  }
}

const DATA = new Set(['example', 'examples', 'default', 'const', 'enum', 'value'])
/** Keywords whose members are names, not keywords. */
const MAPS = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
])

/** Returns the first external references, each once. */
export function findExternalReferences(document: JsonObject): readonly string[] {
  const found = new Set<string>()
  const stack: InnerValue[] = [{ value: document, isMap: false }]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (found.size >= EXTERNAL_SHOWN_MAX) break
    const { isMap, value } = next
    if (isJsonObject(value)) {
      const reference = value['$ref']
      const isOutside = typeof reference === 'string' && !reference.startsWith('#')
      if (isOutside && !isMap) found.add(reference)
    }
    for (const one of listInnerValues(next)) stack.push(one)
  }
  return [...found]
}

/** A value. `isMap` is true if the names of its members are not keywords. */
export type InnerValue = { readonly value: Json; readonly isMap: boolean }

/** Returns the arrays and objects in a value that may contain references, each with its name. */
export function listInnerValues({
  isMap,
  value,
}: InnerValue): readonly (InnerValue & { readonly name: string })[] {
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

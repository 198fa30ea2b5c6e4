/** The OpenAPI document as its reader has it: references followed, schemas that stand alone. */
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts'
import { readPointer } from '../../../core/json/json-pointer.ts'

export type Operation = {
  readonly method: string
  readonly path: string
  readonly operation: JsonObject
}

export function operationsOf(document: JsonObject): readonly Operation[] {
  return Object.entries(objectAt(document, 'paths')).flatMap(([path, item]) =>
    Object.entries(isJsonObject(item) ? item : {}).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation: isJsonObject(operation) ? operation : {},
    })),
  )
}

export function objectAt(of: JsonObject, name: string): JsonObject {
  const value = Object.hasOwn(of, name) ? of[name] : undefined
  return isJsonObject(value) ? value : {}
}

export function listAt(of: JsonObject, name: string): readonly JsonObject[] {
  const value = of[name]
  return Array.isArray(value) ? value.filter(isJsonObject) : []
}

/** The target of a `$ref`, or else the value itself. */
export function followed(document: JsonObject, value: JsonObject): JsonObject {
  const reference = value['$ref']
  if (typeof reference !== 'string') return value
  const found = readPointer(document, reference.slice(1))
  if (!isJsonObject(found)) throw new Error(`${reference} leads nowhere`)
  return found
}

/** A schema of the document with the components that it names, and those that they name. */
export function aloneIn(document: JsonObject, schema: JsonObject): JsonObject {
  const all = objectAt(objectAt(document, 'components'), 'schemas')
  const $defs: { [name: string]: JsonObject } = {}
  const todo = [...referencesIn(schema)]
  for (let place = todo.pop(); place !== undefined; place = todo.pop()) {
    const name = place.replace('#/components/schemas/', '')
    if (Object.hasOwn($defs, name)) continue
    const named = objectAt(all, name)
    $defs[name] = named
    todo.push(...referencesIn(named))
  }
  const text = JSON.stringify({ ...schema, $defs })
  const alone: Json = JSON.parse(text.replaceAll('#/components/schemas/', '#/$defs/'))
  return isJsonObject(alone) ? alone : {}
}

/** Every `$ref` of a value. */
export function referencesIn(value: Json): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn)
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    name === '$ref' && typeof inner === 'string' ? [inner] : referencesIn(inner),
  )
}

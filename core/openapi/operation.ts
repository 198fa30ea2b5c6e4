/**
 * The operations of a document, in its order: path, method, and the parts that stand on the path item
 * merged in. Judges nothing but its form. OpenAPI 3.1, Path Item Object and Operation Object.
 */
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { listOf, objectOf, textOf, textsOf } from './fields.ts'
import { resolved } from './references.ts'

export type OperationMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
const METHODS: readonly OperationMethod[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
/** Methods of OpenAPI that a skill cannot have. */
const OTHERS = ['options', 'trace', 'query']

export type Operation = {
  /** `GET /pets/{id}`: how plans and stored skills name it. */
  readonly key: string
  readonly method: OperationMethod
  readonly path: string
  readonly operationId: string | undefined
  readonly tags: readonly string[]
  readonly parameters: readonly JsonObject[]
  readonly raw: JsonObject
  readonly pathItem: JsonObject
}

export type OtherOperation = { readonly key: string; readonly reason: string }

export type OperationList = {
  readonly operations: readonly Operation[]
  readonly others: readonly OtherOperation[]
}

export function operationsOf(document: JsonObject): OperationList {
  const operations: Operation[] = []
  const others: OtherOperation[] = []
  for (const [path, item] of Object.entries(objectOf(document['paths']))) {
    if (path.startsWith('x-')) continue
    const pathItem = resolved(document, item)
    if (pathItem === undefined) {
      others.push({
        key: path,
        reason: 'The path item is not an object, or its $ref leads nowhere.',
      })
      continue
    }
    for (const method of METHODS) {
      const raw = pathItem[method.toLowerCase()]
      if (isJsonObject(raw)) operations.push(operationOf(document, { method, path, pathItem, raw }))
    }
    others.push(...othersOf(path, pathItem))
  }
  return { operations, others }
}

/** `additionalOperations` of 3.2 among them. */
function othersOf(path: string, pathItem: JsonObject): readonly OtherOperation[] {
  const methods = OTHERS.filter((method) => isJsonObject(pathItem[method]))
  const more = Object.keys(objectOf(pathItem['additionalOperations']))
  return [...methods, ...more].map((method) => ({
    key: `${method.toUpperCase()} ${path}`,
    reason: `A skill cannot use the method ${method.toUpperCase()}.`,
  }))
}

function operationOf(
  document: JsonObject,
  found: Pick<Operation, 'method' | 'path' | 'pathItem' | 'raw'>,
): Operation {
  const { method, path, pathItem, raw } = found
  return {
    ...found,
    key: `${method} ${path}`,
    operationId: textOf(raw['operationId']),
    tags: textsOf(raw['tags']),
    parameters: parametersOf(document, pathItem['parameters'], raw['parameters']),
  }
}

/** A parameter of the operation replaces one of the path with the same name and place. */
function parametersOf(
  document: JsonObject,
  ofPath: Json | undefined,
  ofOperation: Json | undefined,
): readonly JsonObject[] {
  const isShared = ofOperation === undefined && Array.isArray(ofPath)
  const ofDocument = shared.get(document) ?? new WeakMap()
  shared.set(document, ofDocument)
  const known = isShared ? ofDocument.get(ofPath) : undefined
  if (known !== undefined) return known
  const byPlace = new Map<string, JsonObject>()
  for (const one of [...listOf(ofPath), ...listOf(ofOperation)]) {
    const parameter = resolved(document, one)
    if (parameter === undefined) continue
    byPlace.set(`${String(parameter['in'])} ${String(parameter['name'])}`, parameter)
  }
  const parameters = [...byPlace.values()]
  if (isShared) ofDocument.set(ofPath, parameters)
  return parameters
}

/** By document and list of a path: many paths may refer to the same item. */
const shared = new WeakMap<JsonObject, WeakMap<readonly Json[], readonly JsonObject[]>>()

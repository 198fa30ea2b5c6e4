/**
 * Lists the operations of a document in its order, each with the parameters of its path item.
 * Checks only their form. OpenAPI 3.1, Path Item Object and Operation Object.
 */
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { asList, asObject, asText, asTexts } from './fields.ts'
import { resolveObject } from './references.ts'
import { noteLeftOut } from './remarks.ts'
import { countMemberSteps, countSteps, STEPS_PER_SHARED } from './work-budget.ts'

export type OperationMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
const METHODS: readonly OperationMethod[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
/** Methods of OpenAPI that a skill cannot have. */
const OTHERS = ['options', 'trace', 'query']

export type Operation = {
  /** The operation's name in plans and stored skills: `GET /pets/{id}`. */
  readonly key: string
  readonly method: OperationMethod
  readonly path: string
  readonly operationId: string | undefined
  readonly tags: readonly string[]
  readonly parameters: readonly JsonObject[]
  readonly raw: JsonObject
  readonly pathItem: JsonObject
  /** Notes about parameters that were left out. */
  readonly notes: readonly string[]
}

export type OtherOperation = { readonly key: string; readonly reason: string }

export type OperationList = {
  readonly operations: readonly Operation[]
  readonly others: readonly OtherOperation[]
}

/** Returns all operations; `others` cannot become tools, each with its reason. */
export function listOperations(document: JsonObject): OperationList {
  const operations: Operation[] = []
  const others: OtherOperation[] = []
  for (const [path, item] of Object.entries(asObject(document['paths']))) {
    if (path.startsWith('x-')) continue
    const pathItem = resolveObject(document, item)
    if (pathItem === undefined) {
      others.push({
        key: path,
        reason: 'The path item is not an object, or its $ref leads nowhere.',
      })
      continue
    }
    operations.push(
      ...METHODS.flatMap((method) => {
        const raw = pathItem[method.toLowerCase()]
        return isJsonObject(raw) ? [makeOperation(document, { method, path, pathItem, raw })] : []
      }),
    )
    others.push(...listInvalid(path, pathItem), ...listUnsupported(path, pathItem))
  }
  return { operations, others }
}

function listInvalid(path: string, pathItem: JsonObject): readonly OtherOperation[] {
  const methods = METHODS.filter((method) => {
    const raw = pathItem[method.toLowerCase()]
    return raw !== undefined && !isJsonObject(raw)
  })
  return methods.map((method) => ({
    key: `${method} ${path}`,
    reason: 'The operation is not an object.',
  }))
}

/** Lists methods that no skill can use, including `additionalOperations` of 3.2. */
function listUnsupported(path: string, pathItem: JsonObject): readonly OtherOperation[] {
  const methods = OTHERS.filter((method) => isJsonObject(pathItem[method]))
  const more = Object.keys(asObject(pathItem['additionalOperations']))
  return [...methods, ...more].map((method) => ({
    key: `${method.toUpperCase()} ${path}`,
    reason: `A skill cannot use the method ${method.toUpperCase()}.`,
  }))
}

function makeOperation(
  document: JsonObject,
  found: Pick<Operation, 'method' | 'path' | 'pathItem' | 'raw'>,
): Operation {
  const { method, path, raw } = found
  const { notes, parameters } = readParameters(document, found)
  return {
    ...found,
    key: `${method} ${path}`,
    operationId: asText(raw['operationId']),
    tags: asTexts(raw['tags']),
    parameters,
    notes,
  }
}

type Parameters = Pick<Operation, 'notes' | 'parameters'>

/** Lists by document, path item and method: many paths may refer to the same item. */
const cache = new WeakMap<JsonObject, WeakMap<JsonObject, Map<OperationMethod, Parameters>>>()

function readParameters(
  document: JsonObject,
  { method, pathItem, raw }: Pick<Operation, 'method' | 'pathItem' | 'raw'>,
): Parameters {
  const ofDocument = cache.get(document) ?? new WeakMap()
  cache.set(document, ofDocument)
  const ofItem = ofDocument.get(pathItem) ?? new Map<OperationMethod, Parameters>()
  ofDocument.set(pathItem, ofItem)
  const notes: string[] = []
  const found = ofItem.get(method) ?? {
    // A parameter of the operation replaces one of the path item with the same name and location.
    parameters: [
      ...new Map([
        ...indexParameters(document, pathItem['parameters'], notes),
        ...indexParameters(document, raw['parameters'], notes),
      ]).values(),
    ],
    notes,
  }
  ofItem.set(method, found)
  return found
}

/** Indexes parameters by location and name. */
function indexParameters(
  document: JsonObject,
  list: Json | undefined,
  notes: string[],
): ReadonlyMap<string, JsonObject> {
  const found = new Map<string, JsonObject>()
  for (const one of asList(list)) {
    const parameter = resolveObject(document, one)
    if (parameter === undefined) {
      const to = asObject(one)['$ref']
      const why = typeof to === 'string' ? `${to} leads to none` : 'it is no object'
      notes.push(noteLeftOut('A parameter', why))
      continue
    }
    const key = `${String(parameter['in'])} parameter ${String(parameter['name'])}`
    if (found.has(key)) notes.push(noteLeftOut(`The first ${key}`, 'a later one has its name'))
    found.set(key, parameter)
  }
  return found
}

/**
 * Returns the steps of reading an operation once. Many operations may share its texts and lists.
 */
export function countOperationSteps(document: JsonObject, operation: Operation): number {
  const { notes, parameters, path, pathItem, raw, tags } = operation
  const ofParameters = parameters.reduce((sum, one) => sum + countMemberSteps(one), 0)
  const shared = countSteps(pathItem['servers']) + notes.length + ofParameters
  const ofTags = countSteps(document['tags']) * (1 + tags.length)
  return countSteps(raw) + path.length + ofTags + STEPS_PER_SHARED * shared
}

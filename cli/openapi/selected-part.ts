/**
 * Selects the part of an OpenAPI document that an import needs: the selected operations, everything
 * that they refer to, and the names of the others, so that the gateway can tell an operation that
 * is gone from one that is no longer selected. So a document of any size fits the gateway's limit
 * for a body, as long as the selected operations fit. The gateway makes the same tools of the part
 * as of the whole document.
 */
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts'
import type { NotImported } from '../../core/openapi/left-out.ts'
import { OPERATIONS_MAX } from '../../core/openapi/limits.ts'
import {
  listOperations,
  type Operation,
  type OtherOperation,
} from '../../core/openapi/operation.ts'
import { readReference } from '../../core/openapi/references.ts'
import { explainLeftOut, type Selection } from '../../core/openapi/selection.ts'
import { findDiscriminator, type Subtype } from '../../core/openapi/subtypes.ts'
import { makeBudget, setBudget } from '../../core/openapi/work-budget.ts'

/** Members of the root that apply to every operation. */
const ROOT_MEMBERS = [
  'openapi',
  'swagger',
  'jsonSchemaDialect',
  'info',
  'servers',
  'host',
  'basePath',
  'schemes',
  'consumes',
  'produces',
  'security',
  'securityDefinitions',
  'tags',
  'x-skillgate',
]

export type SelectedPart = {
  readonly document: JsonObject
  /** Number of operations in the whole document. */
  readonly operations: number
  readonly notSelected: number
  /** Operations of paths that are not sent, because no skill could call them. */
  readonly unsent: readonly NotImported[]
}

/**
 * Returns the part. Throws OverBudget for patterns, parameters and subtypes that take too many
 * steps.
 */
export function selectPart(document: JsonObject, selection: Selection): SelectedPart {
  const budget = makeBudget()
  setBudget(document, budget)
  const { operations, others } = listOperations(document)
  // Deprecated and internal operations stay, so that the plan can name them with the reason why
  // they are left out.
  const chosen = operations.filter(
    (one) => explainLeftOut(one, selection, budget) !== 'not_selected',
  )
  const root = ROOT_MEMBERS.flatMap((name): [string, Json][] =>
    document[name] === undefined ? [] : [[name, document[name]]],
  )
  // A plan reads no more operations, and a document with more is sent without the others.
  const named = operations.length + others.length > OPERATIONS_MAX ? [] : operations
  const paths = pickPaths(document, chosen, named)
  const part: JsonObject = { ...Object.fromEntries(root), paths }
  const schemes = readReference(document, '#/components/securitySchemes')
  const components = schemes === undefined ? {} : { components: { securitySchemes: schemes } }
  return {
    document: addReferences(document, { ...part, ...components }),
    operations: operations.length + others.length,
    notSelected: operations.length - chosen.length,
    unsent: selection.include === undefined ? listUnsent(others, paths) : [],
  }
}

/** Without rules, everything is meant, and the plan tells what cannot be a tool. */
function listUnsent(others: readonly OtherOperation[], sent: JsonObject): readonly NotImported[] {
  return others.flatMap(({ key, reason }) => {
    const path = key.slice(key.indexOf(' ') + 1)
    return Object.hasOwn(sent, path) ? [] : [{ operation: key, code: 'unsupported', reason }]
  })
}

/**
 * Returns the path items without callbacks, which no import uses. Of an operation in `named` that
 * is not chosen, keeps what the selection reads.
 */
function pickPaths(
  document: JsonObject,
  chosen: readonly Operation[],
  named: readonly Operation[],
): JsonObject {
  const methods = new Set(chosen.map(({ key }) => key))
  const names = named.filter(({ key }) => !methods.has(key))
  const items = new Map(chosen.map(({ path, pathItem }) => [path, pathItem]))
  const paths = isJsonObject(document['paths']) ? document['paths'] : {}
  const picked: { [path: string]: Json } = Object.fromEntries(
    [...items].map(([path, item]): [string, Json] => [
      path,
      Object.fromEntries(
        Object.entries({ ...item, ...pickSiblings(paths[path]) }).flatMap(
          ([name, value]): [string, Json][] => {
            if (!isJsonObject(value) || !METHODS.has(name)) return [[name, value]]
            // The content of callbacks is left out; their presence becomes a note in the plan.
            const operation = value['callbacks'] === undefined ? value : { ...value, callbacks: {} }
            return methods.has(`${name.toUpperCase()} ${path}`) ? [[name, operation]] : []
          },
        ),
      ),
    ]),
  )
  for (const operation of names) {
    const { method, path } = operation
    const item = picked[path]
    const before = isJsonObject(item) ? item : {}
    picked[path] = { ...before, [method.toLowerCase()]: pickName(operation) }
  }
  return picked
}

function pickName({ raw }: Operation): JsonObject {
  const { operationId, tags } = raw
  return {
    ...(operationId === undefined ? {} : { operationId }),
    ...(tags === undefined ? {} : { tags }),
  }
}

const METHODS = new Set(['get', 'head', 'post', 'put', 'patch', 'delete'])

/**
 * Returns the `x-` members beside the reference of a path item. The reference itself was resolved
 * before.
 */
function pickSiblings(item: Json | undefined): JsonObject {
  if (!isJsonObject(item) || item['$ref'] === undefined) return {}
  return Object.fromEntries(Object.entries(item).filter(([name]) => name.startsWith('x-')))
}

/** Adds everything that `part` refers to, directly or through other parts. */
function addReferences(document: JsonObject, part: JsonObject): JsonObject {
  const added = new Set<string>()
  let whole: JsonObject = part
  const pending: Json[] = [part]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const reference of findReferences(next, document)) {
      const names = toPartPath(reference)
      const place = names.join('/')
      if (added.has(place)) continue
      added.add(place)
      const value = readReference(document, `#/${place}`)
      if (value === undefined) continue
      whole = putAt(whole, names.map(unescapeName), value)
      pending.push(value)
    }
  }
  return whole
}

/**
 * Returns the path of the part that holds the reference: for
 * `#/components/schemas/Pet/properties/id` all of `components/schemas/Pet`.
 */
function toPartPath(reference: string): readonly string[] {
  const names = reference.slice('#/'.length).split('/')
  return names.slice(0, names[0] === 'components' ? 3 : 2)
}

/** Decodes a name of a JSON Pointer in a URI fragment. */
function unescapeName(name: string): string {
  try {
    return decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    // A lone % is no valid encoding, so the name leads nowhere.
    return name
  }
}

function putAt(value: JsonObject, [name = '', ...rest]: readonly string[], leaf: Json): JsonObject {
  const child = value[name]
  const inner = rest.length === 0 ? leaf : putAt(isJsonObject(child) ? child : {}, rest, leaf)
  return { ...value, [name]: inner }
}

/**
 * Finds all references in a value, including some that OpenAPI would not follow: a property called
 * `$ref` adds a few bytes, but no tool.
 */
function findReferences(value: Json, document: JsonObject): readonly string[] {
  const found: string[] = []
  const pending: Json[] = [value]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const { reference } of listSubtypes(document, next)) found.push(reference)
    for (const [name, inner] of Object.entries(next ?? {})) {
      found.push(...findReferencesAt(name, inner, document))
      if (typeof inner === 'object' && inner !== null) pending.push(inner)
    }
  }
  return found
}

function listSubtypes(document: JsonObject, value: Json): readonly Subtype[] {
  return isJsonObject(value) ? (findDiscriminator(document, value)?.subtypes ?? []) : []
}

/**
 * Finds references in one member. The mapping of a discriminator names schemas by reference or by
 * name alone.
 */
function findReferencesAt(name: string, value: Json, document: JsonObject): readonly string[] {
  if (name === '$ref') return [value].filter(isReference)
  if (name !== 'mapping' || !isJsonObject(value)) return []
  return Object.values(value).flatMap((target) => {
    const named = `#/components/schemas/${target}`
    if (isReference(target)) return [target]
    return readReference(document, named) === undefined ? [] : [named]
  })
}

function isReference(value: Json): value is string {
  return typeof value === 'string' && value.startsWith('#/')
}

/**
 * The part of an OpenAPI document that an import of some operations needs: these operations, and what
 * they refer to, however far. So a document of any size fits the gateway's limit for a body, as long as
 * the selected operations do. The gateway makes the same tools of the part as of the whole.
 */
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts'
import { type Operation, operationsOf } from '../../core/openapi/operation.ts'
import { valueAtReference } from '../../core/openapi/references.ts'
import { NOT_SELECTED, type Selection, whyLeftOut } from '../../core/openapi/selection.ts'
import { discriminatorOf, type Subtype } from '../../core/openapi/subtypes.ts'
import { newBudget, setBudget } from '../../core/openapi/work-budget.ts'

/** Members of the root that say something about every operation. */
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
  /** Of the whole document. */
  readonly operations: number
  readonly notSelected: number
}

/** Throws OverBudget for patterns, parameters and subtypes that take too many steps. */
export function selectedPart(document: JsonObject, selection: Selection): SelectedPart {
  const budget = newBudget()
  setBudget(document, budget)
  const { operations, others } = operationsOf(document)
  // Deprecated and internal ones stay: the plan names them with the reason why they are left out.
  const chosen = operations.filter((one) => whyLeftOut(one, selection, budget) !== NOT_SELECTED)
  const root = ROOT_MEMBERS.flatMap((name): [string, Json][] =>
    document[name] === undefined ? [] : [[name, document[name]]],
  )
  const part: JsonObject = { ...Object.fromEntries(root), paths: pathsOf(document, chosen) }
  const schemes = valueAtReference(document, '#/components/securitySchemes')
  const components = schemes === undefined ? {} : { components: { securitySchemes: schemes } }
  return {
    document: withReferences(document, { ...part, ...components }),
    operations: operations.length + others.length,
    notSelected: operations.length - chosen.length,
  }
}

/** Path items without the operations that are not chosen, and without callbacks, which nothing imports. */
function pathsOf(document: JsonObject, chosen: readonly Operation[]): JsonObject {
  const methods = new Set(chosen.map(({ key }) => key))
  const items = new Map(chosen.map(({ path, pathItem }) => [path, pathItem]))
  const paths = isJsonObject(document['paths']) ? document['paths'] : {}
  return Object.fromEntries(
    [...items].map(([path, item]): [string, Json] => [
      path,
      Object.fromEntries(
        Object.entries({ ...item, ...siblingsOf(paths[path]) }).flatMap(
          ([name, value]): [string, Json][] => {
            if (!isJsonObject(value) || !METHODS.has(name)) return [[name, value]]
            // What is in them is left out; that there are some is a note.
            const operation = value['callbacks'] === undefined ? value : { ...value, callbacks: {} }
            return methods.has(`${name.toUpperCase()} ${path}`) ? [[name, operation]] : []
          },
        ),
      ),
    ]),
  )
}

const METHODS = new Set(['get', 'head', 'post', 'put', 'patch', 'delete'])

/** A path item that is a reference has been resolved; `x-` members beside the reference stay. */
function siblingsOf(item: Json | undefined): JsonObject {
  if (!isJsonObject(item) || item['$ref'] === undefined) return {}
  return Object.fromEntries(Object.entries(item).filter(([name]) => name.startsWith('x-')))
}

/** Adds what `part` refers to, and what that refers to. */
function withReferences(document: JsonObject, part: JsonObject): JsonObject {
  const taken = new Set<string>()
  let whole: JsonObject = part
  const left: Json[] = [part]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    for (const reference of referencesIn(next, document)) {
      const names = placeOf(reference)
      const place = names.join('/')
      if (taken.has(place)) continue
      taken.add(place)
      const value = valueAtReference(document, `#/${place}`)
      if (value === undefined) continue
      whole = put(whole, names.map(unescaped), value)
      left.push(value)
    }
  }
  return whole
}

/** `#/components/schemas/Pet/properties/id` is in the part as all of `components/schemas/Pet`. */
function placeOf(reference: string): readonly string[] {
  const names = reference.slice('#/'.length).split('/')
  return names.slice(0, names[0] === 'components' ? 3 : 2)
}

/** JSON Pointer in a URI fragment. */
function unescaped(name: string): string {
  try {
    return decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    // A lone % is no encoding, and leads nowhere.
    return name
  }
}

function put(value: JsonObject, [name = '', ...rest]: readonly string[], leaf: Json): JsonObject {
  const child = value[name]
  const inner = rest.length === 0 ? leaf : put(isJsonObject(child) ? child : {}, rest, leaf)
  return { ...value, [name]: inner }
}

/** More than a reader of OpenAPI would follow: a property called `$ref` costs a few bytes, no tool. */
function referencesIn(value: Json, document: JsonObject): readonly string[] {
  const found: string[] = []
  const left: Json[] = [value]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    for (const { reference } of subtypesOf(document, next)) found.push(reference)
    for (const [name, inner] of Object.entries(next ?? {})) {
      found.push(...referencesAt(name, inner, document))
      if (typeof inner === 'object' && inner !== null) left.push(inner)
    }
  }
  return found
}

function subtypesOf(document: JsonObject, value: Json): readonly Subtype[] {
  return isJsonObject(value) ? (discriminatorOf(document, value)?.subtypes ?? []) : []
}

/** A discriminator's mapping names schemas by reference or by name alone. */
function referencesAt(name: string, value: Json, document: JsonObject): readonly string[] {
  if (name === '$ref') return [value].filter(isReference)
  if (name !== 'mapping' || !isJsonObject(value)) return []
  return Object.values(value).flatMap((target) => {
    const named = `#/components/schemas/${target}`
    if (isReference(target)) return [target]
    return valueAtReference(document, named) === undefined ? [] : [named]
  })
}

function isReference(value: Json): value is string {
  return typeof value === 'string' && value.startsWith('#/')
}

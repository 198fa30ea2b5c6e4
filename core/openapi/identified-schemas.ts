/**
 * Rewrites references by identity (`$id`, `$anchor`, `$dynamicAnchor` of JSON Schema 2020-12) as
 * JSON Pointers into the document. Bundled documents have such references. Afterwards, every other
 * reference is external. A `$dynamicRef` becomes a reference to the anchor of its name in the same
 * resource.
 */
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { asText } from './fields.ts'
import { type InnerValue, listInnerValues } from './references.ts'
import {
  countTextSteps,
  makeBudget,
  STEPS_PER_SHARED,
  spend,
  type WorkBudget,
} from './work-budget.ts'

/** The address of a document without one. It is never shown. */
const ROOT = 'https://document.invalid/'
const NAMES = ['$id', '$anchor', '$dynamicAnchor']

type Identities = {
  readonly takeSteps: (steps: number) => void
  /** Pointers by absolute URI without fragment. */
  readonly resources: Map<string, string>
  /** Pointers by URI and anchor. */
  readonly anchors: Map<string, string>
}

/** Returns the same document if it has no such names. Throws OverBudget. */
export function withPointerReferences(
  document: JsonObject,
  budget: WorkBudget = makeBudget(),
): JsonObject {
  const takeSteps = (steps: number) => spend(budget, 'document', steps)
  const identities: Identities = { takeSteps, resources: new Map(), anchors: new Map() }
  const base = resolveUri(asText(document['$self']) ?? '', ROOT, identities) ?? ROOT
  if (!collectIdentities(document, base, identities)) return document
  identities.resources.set(base, '')
  const rewritten = rewrite({ value: document, isMap: false }, base, identities)
  return isJsonObject(rewritten) ? rewritten : document
}

type Place = InnerValue & { readonly pointer: string; readonly base: string }

/** Collects all identities. Returns false if there are none, and no references to any. */
function collectIdentities(document: JsonObject, base: string, identities: Identities): boolean {
  let hasAny = false
  const left: Place[] = [{ value: document, isMap: false, pointer: '', base }]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const here = next
    identities.takeSteps(1)
    const schema = isJsonObject(here.value) && !here.isMap ? here.value : {}
    const own = findBase(schema, here.base, identities)
    if (hasIdentity(schema)) {
      hasAny = true
      addNames(schema, { ...here, base: own }, identities)
    }
    for (const one of listInnerValues(here)) {
      left.push({ ...one, base: own, pointer: `${here.pointer}/${toPointerPart(one.name)}` })
    }
  }
  return hasAny
}

function addNames(
  schema: JsonObject,
  { base, pointer }: Place,
  { anchors, resources }: Identities,
): void {
  if (asText(schema['$id']) !== undefined) resources.set(base, pointer)
  for (const anchor of [schema['$anchor'], schema['$dynamicAnchor']]) {
    if (typeof anchor === 'string') anchors.set(`${base}#${anchor}`, pointer)
  }
}

function hasIdentity(schema: JsonObject): boolean {
  return [...NAMES, '$dynamicRef'].some((name) => typeof schema[name] === 'string')
}

function findBase(schema: JsonObject, base: string, identities: Identities): string {
  const id = asText(schema['$id'])
  return id === undefined ? base : (resolveUri(id, base, identities) ?? base)
}

/**
 * Resolves a reference, without its fragment. Steps are counted, because both texts may be long.
 */
function resolveUri(
  reference: string,
  base: string,
  { takeSteps }: Pick<Identities, 'takeSteps'>,
): string | undefined {
  takeSteps(STEPS_PER_SHARED * (countTextSteps(reference) + countTextSteps(base)))
  const url = URL.parse(reference, base)
  if (url === null) return undefined
  url.hash = ''
  return url.href.replace(/#$/, '')
}

/** DOCUMENT_DEPTH_MAX bounds the recursion. */
function rewrite(place: InnerValue, base: string, identities: Identities): Json {
  const { isMap, value } = place
  if (Array.isArray(value)) {
    const items = new Map(listInnerValues(place).map((one) => [one.name, one]))
    return value.map((item: Json, index) => {
      const one = items.get(String(index))
      return one === undefined ? item : rewrite(one, base, identities)
    })
  }
  if (!isJsonObject(value)) return value
  identities.takeSteps(1)
  const own = isMap ? base : findBase(value, base, identities)
  const inside = new Map(listInnerValues(place).map((one) => [one.name, one]))
  const members = Object.entries(value).flatMap(([name, inner]): [string, Json][] => {
    const one = inside.get(name)
    if (one !== undefined) return [[name, rewrite(one, own, identities)]]
    if (isMap || typeof inner !== 'string') return [[name, inner]]
    if (NAMES.includes(name)) return []
    if (name !== '$ref' && name !== '$dynamicRef') return [[name, inner]]
    return [['$ref', rewriteReference(inner, own, identities)]]
  })
  return Object.fromEntries(members)
}

/** Returns a pointer to the named schema; the same reference if no schema has that name. */
function rewriteReference(reference: string, base: string, identities: Identities): string {
  const { anchors, resources, takeSteps } = identities
  const uri = resolveUri(reference, base, identities)
  if (uri === undefined) return reference
  const hash = reference.indexOf('#')
  const fragment = hash < 0 ? '' : reference.slice(hash + 1)
  const resource = resources.get(uri)
  if (fragment === '' || fragment.startsWith('/')) {
    takeSteps(countTextSteps(resource ?? ''))
    return resource === undefined ? reference : `#${resource}${fragment}`
  }
  const anchor = anchors.get(`${uri}#${fragment}`)
  takeSteps(countTextSteps(anchor ?? ''))
  return anchor === undefined ? reference : `#${anchor}`
}

/** Writes a part of a JSON Pointer in a URI fragment. */
function toPointerPart(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))
}

/**
 * Schemas of a document as one schema that needs nothing outside itself: each `#/…` reference becomes
 * one into `$defs`, and `$defs` holds what is reached and no more. Full inlining is never done, since
 * it grows without bound where schemas refer to each other.
 */
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { countOf, shortened } from './fields.ts'
import { PARAMETER_DESCRIPTION_CHARS_MAX, SCHEMA_DEPTH_MAX } from './limits.ts'
import { hasCircle } from './reference-circle.ts'
import { resolved, valueAtReference } from './references.ts'
import { type KeywordKind, SCHEMA_HOLDERS } from './schema-keywords.ts'
import { plainValue, typeAlone, withNull, withoutHidden } from './schema-parts.ts'
import { spendOn } from './work-budget.ts'

/** How much of the schemas is kept. */
export type Detail = {
  /** Input leaves out what is `readOnly`, output what is `writeOnly`. */
  readonly side: 'input' | 'output'
  readonly hasDescriptions: boolean
  /** Schemas below this many references and properties are their type alone. */
  readonly levelsMax: number
  /** Writing stops once the result is certain to be larger. */
  readonly bytesMax: number
}

export type SchemaClosure = {
  /** A schema of the document, rewritten. */
  write(schema: Json | undefined): Json
  /** Writes the definitions that are still missing; call it once all roots are written. */
  definitions(): JsonObject
  /** True when a schema contains itself. */
  isRecursive(): boolean
  /** True when writing stopped, so that what was written is of no use. */
  isTooLarge(): boolean
  /** References that lead nowhere. */
  readonly missing: ReadonlySet<string>
}

/** Levels of JSON that `$defs`, a name and a margin take of SCHEMA_DEPTH_MAX. */
const DEPTH_MARGIN = 4

type State = {
  readonly document: JsonObject
  readonly detail: Detail
  /** By reference. */
  readonly names: Map<string, string>
  readonly taken: Set<string>
  readonly waiting: { readonly name: string; readonly schema: JsonObject; readonly level: number }[]
  readonly missing: Set<string>
  readonly edges: Map<string, Set<string>>
  /** The definition that is being written; '' for a root. */
  current: string
  /** A lower bound of the bytes written so far. */
  bytes: number
}

type Depth = { readonly level: number; readonly json: number }

const ROOT: Depth = { level: 0, json: 0 }

export function schemaClosure(document: JsonObject, detail: Detail): SchemaClosure {
  const empty = { names: new Map(), waiting: [], edges: new Map() }
  const sets = { taken: new Set<string>(), missing: new Set<string>() }
  const state: State = { document, detail, ...empty, ...sets, current: '', bytes: 0 }
  return {
    write: (schema) => write(state, schema, ROOT),
    definitions: () => definitionsOf(state),
    isRecursive: () => hasCircle(state.edges),
    isTooLarge: () => isTooLarge(state),
    missing: state.missing,
  }
}

/** Breadth first, so that a definition has the level of its nearest mention. */
function definitionsOf(state: State): JsonObject {
  const defs: { [name: string]: Json } = {}
  for (let at = 0; at < state.waiting.length && !isTooLarge(state); at += 1) {
    const next = state.waiting[at]
    if (next === undefined) break
    state.current = next.name
    defs[next.name] = write(state, next.schema, { level: next.level, json: 0 })
  }
  return defs
}

function isTooLarge({ bytes, detail }: State): boolean {
  return bytes > detail.bytesMax
}

function write(state: State, schema: Json | undefined, depth: Depth): Json {
  if (typeof schema === 'boolean') return schema
  if (!isJsonObject(schema) || isTooLarge(state)) return {}
  const { $ref: to } = schema
  if (typeof to === 'string') return described(state, reference(state, to, depth), schema)
  const isDeep = depth.json > SCHEMA_DEPTH_MAX - DEPTH_MARGIN
  if (depth.level > state.detail.levelsMax || isDeep) return typeAlone(state.document, schema)
  return written(state, schema, depth)
}

/** A description beside a reference says more than the one behind it. */
function described({ detail }: State, target: Json, { description }: JsonObject): Json {
  const isSaid = detail.hasDescriptions && typeof description === 'string'
  if (!isSaid || !isJsonObject(target)) return target
  return { ...target, description: shortened(description, PARAMETER_DESCRIPTION_CHARS_MAX) }
}

function reference(state: State, to: string, { level }: Depth): Json {
  const { detail, document, edges, names, waiting } = state
  const target = resolved(document, { $ref: to })
  if (target === undefined) {
    const value = valueAtReference(document, to)
    if (typeof value === 'boolean') return value
    state.missing.add(to)
    return {}
  }
  if (level >= detail.levelsMax) return typeAlone(document, target)
  const known = names.get(to)
  const name = known ?? nameFor(to, state.taken)
  edges.set(state.current, (edges.get(state.current) ?? new Set()).add(name))
  if (known === undefined) {
    names.set(to, name)
    state.taken.add(name)
    waiting.push({ name, schema: target, level: level + 1 })
  }
  state.bytes += name.length + REFERENCE_BYTES
  return { $ref: `#/$defs/${name}` }
}

/** `{"$ref":"#/$defs/"}` */
const REFERENCE_BYTES = 20

function written(state: State, schema: JsonObject, depth: Depth): JsonObject {
  const result: { [keyword: string]: Json } = {}
  const keywords = Object.entries(schema)
  spendOn(state.document, keywords.length)
  for (const [keyword, value] of keywords) {
    const kind = Object.hasOwn(SCHEMA_HOLDERS, keyword) ? SCHEMA_HOLDERS[keyword] : undefined
    const rewritten =
      kind === undefined
        ? plainValue(keyword, value, state.detail)
        : held(state, kind, value, depth)
    if (rewritten === undefined) continue
    result[keyword] = rewritten
    state.bytes += keyword.length + (typeof rewritten === 'string' ? rewritten.length : 1) + 3
  }
  return withoutHidden(state.document, withNull(schema, result), schema, state.detail.side)
}

function held(state: State, kind: KeywordKind, value: Json, depth: Depth): Json | undefined {
  const below = { level: depth.level + 1, json: depth.json + (kind === 'schema' ? 1 : 2) }
  if (kind === 'schema') return isSchema(value) ? write(state, value, below) : undefined
  if (kind === 'schemas') {
    const list = Array.isArray(value) && isNarrow(state, value.length) ? value : []
    const items = list.filter(isSchema)
    // Alternatives stand for the schema itself, so they are no deeper than it.
    const beside = { ...below, level: depth.level }
    return items.length === 0 ? undefined : items.map((item) => write(state, item, beside))
  }
  if (!isJsonObject(value)) return undefined
  if (!isNarrow(state, countOf(value))) return {}
  const members = Object.entries(value).filter(([, inner]) => isSchema(inner))
  return Object.fromEntries(members.map(([name, inner]) => [name, write(state, inner, below)]))
}

/** The least that a schema in a list or under a name takes: `{},` */
const INNER_BYTES_MIN = 3

/**
 * False for so many schemas that they are certain to be too large together; writing has stopped then. So a wide schema
 * that many operations refer to costs each of them nothing.
 */
function isNarrow(state: State, count: number): boolean {
  const isFitting = count * INNER_BYTES_MIN <= state.detail.bytesMax
  if (!isFitting) state.bytes = state.detail.bytesMax + 1
  spendOn(state.document, isFitting ? count : 1)
  return isFitting
}

function nameFor(to: string, taken: ReadonlySet<string>): string {
  const last = to.slice(to.lastIndexOf('/') + 1)
  const plain = last.replace(/[^A-Za-z0-9_.-]/g, '_') || 'schema'
  let name = plain
  for (let count = 2; taken.has(name); count += 1) name = `${plain}_${count}`
  return name
}

function isSchema(value: Json): boolean {
  return isJsonObject(value) || typeof value === 'boolean'
}

/** References of schemas into `$defs`, and the state of the schemas that are being written (schema-closure.ts). */
import type { Json, JsonObject } from '../json/json.ts'
import { resolved, valueAtReference } from './references.ts'
import type { SchemaLosses } from './schema-losses.ts'
import { typeAlone } from './schema-parts.ts'
import { discriminatorOf } from './subtypes.ts'
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

/** `base`: as a schema that extends it sees it, without the schemas that its discriminator leads to. */
export type Form = 'base' | 'whole'

type Waiting = {
  readonly name: string
  readonly schema: JsonObject
  readonly level: number
  readonly form: Form
}

export type Depth = { readonly level: number; readonly json: number }

/** Levels of JSON that `$defs`, a name and a margin take of SCHEMA_DEPTH_MAX. */
export const DEPTH_MARGIN = 4

export type State = {
  readonly document: JsonObject
  readonly detail: Detail
  /** By reference. */
  readonly names: Map<string, string>
  readonly taken: Set<string>
  readonly waiting: Waiting[]
  readonly losses: SchemaLosses
  readonly edges: Map<string, Set<string>>
  /** The definition that is being written; '' for a root. */
  current: string
  /** A lower bound of the bytes written so far. */
  bytes: number
}

export function isTooLarge({ bytes, detail }: State): boolean {
  return bytes > detail.bytesMax
}

/** The least that a schema in a list or under a name takes: `{},` */
const INNER_BYTES_MIN = 3

/**
 * False for so many schemas that they are certain to be too large together; writing has stopped then. So a wide schema
 * that many operations refer to costs each of them nothing.
 */
export function isNarrow(state: State, count: number): boolean {
  const isFitting = count * INNER_BYTES_MIN <= state.detail.bytesMax
  if (!isFitting) state.bytes = state.detail.bytesMax + 1
  spendOn(state.document, isFitting ? count : 1)
  return isFitting
}

export function shortForm(state: State, schema: JsonObject): JsonObject {
  const short = typeAlone(state.document, schema)
  if (Object.keys(schema).some((keyword) => !Object.hasOwn(short, keyword))) state.losses.deep += 1
  return short
}

export function reference(state: State, to: string, { level }: Depth, form: Form): Json {
  const { detail, document, edges, names, waiting } = state
  const target = resolved(document, { $ref: to })
  if (target === undefined) {
    const value = valueAtReference(document, to)
    if (typeof value === 'boolean') return value
    state.losses.missing.add(to)
    return {}
  }
  if (level >= detail.levelsMax) return shortForm(state, target)
  const key = `${form} ${to}`
  const known = names.get(key)
  const name = known ?? nameFor(form === 'base' ? `${to}_base` : to, state.taken)
  edges.set(state.current, (edges.get(state.current) ?? new Set()).add(name))
  if (known === undefined) {
    names.set(key, name)
    state.taken.add(name)
    waiting.push({ name, schema: target, level: level + 1, form })
  }
  state.bytes += name.length + REFERENCE_BYTES
  return { $ref: `#/$defs/${name}` }
}

/** `{"$ref":"#/$defs/"}` */
const REFERENCE_BYTES = 20

/** A part of `allOf` is what the schema extends, not one of the schemas that extend the part. */
export function isExtended(document: JsonObject, part: Json): boolean {
  const schema = resolved(document, part)
  const found = schema === undefined ? undefined : discriminatorOf(document, schema)
  return found !== undefined && found.subtypes.length > 0
}

function nameFor(to: string, taken: ReadonlySet<string>): string {
  const last = to.slice(to.lastIndexOf('/') + 1)
  const plain = last.replace(/[^A-Za-z0-9_.-]/g, '_') || 'schema'
  let name = plain
  for (let count = 2; taken.has(name); count += 1) name = `${plain}_${count}`
  return name
}

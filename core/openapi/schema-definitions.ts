/** Writes references into `$defs`, and keeps the state of schema-closure.ts. */
import type { Json, JsonObject } from '../json/json.ts'
import { readReference, resolveObject } from './references.ts'
import type { SchemaLosses } from './schema-losses.ts'
import { writeTypeOnly } from './schema-parts.ts'
import { findDiscriminator } from './subtypes.ts'
import { spendDocumentSteps } from './work-budget.ts'

/** The detail with which schemas are written. */
export type Detail = {
  /** Input leaves out `readOnly` parts, output leaves out `writeOnly` parts. */
  readonly side: 'input' | 'output'
  readonly hasDescriptions: boolean
  /** Below this many references and properties, only the type of a schema is written. */
  readonly levelsMax: number
  /** Writing stops as soon as the result is certainly larger. */
  readonly bytesMax: number
}

/** `base` is a schema without its subtypes, for a schema that extends it. */
export type Form = 'base' | 'whole'

/** A definition that a schema refers to. */
export type Target = { readonly to: string; readonly form: Form; readonly level: number }

type Waiting = Target & { readonly name: string; readonly schema: JsonObject }

export type Depth = { readonly level: number; readonly json: number }

/** JSON levels of SCHEMA_DEPTH_MAX that `$defs`, a name and a margin need. */
export const DEPTH_MARGIN = 4

export type State = {
  readonly document: JsonObject
  readonly detail: Detail
  /** Names of definitions by form and reference. */
  readonly names: Map<string, string>
  readonly taken: Set<string>
  readonly waiting: Waiting[]
  readonly losses: SchemaLosses
  readonly edges: Map<string, Set<string>>
  /** The definition that is being written; '' for a root. */
  current: string
  /** What the current definition refers to, and the deepest level in it. */
  references: Target[]
  deepest: number
  /** A lower bound of the bytes written so far. */
  bytes: number
  /** Of these bytes, those of the names in references. */
  nameBytes: number
}

export function isTooLarge({ bytes, detail }: State): boolean {
  return bytes > detail.bytesMax
}

export function stopAsTooLarge(state: State): void {
  state.bytes = state.detail.bytesMax + 1
}

/** Bytes of the shortest schema in a list: `{},` */
const INNER_BYTES_MIN = 3

/**
 * Returns false, and stops writing, for so many schemas that they certainly are too large together.
 * A wide schema that many operations refer to therefore costs almost nothing.
 */
export function fitsIfWritten(state: State, count: number): boolean {
  const isFitting = count * INNER_BYTES_MIN <= state.detail.bytesMax
  if (!isFitting) stopAsTooLarge(state)
  spendDocumentSteps(state.document, isFitting ? count : 1)
  return isFitting
}

/** Writes only the type of a schema, and counts the loss. */
export function writeShortForm(state: State, schema: JsonObject): JsonObject {
  const short = writeTypeOnly(state.document, schema)
  if (Object.keys(schema).some((keyword) => !Object.hasOwn(short, keyword))) state.losses.deep += 1
  return short
}

/** Writes a reference into `$defs`, and adds its target to the waiting definitions. */
export function writeReference(state: State, to: string, { level }: Depth, form: Form): Json {
  const { detail, document, edges, names, waiting } = state
  const target = resolveObject(document, { $ref: to })
  if (target === undefined) {
    const value = readReference(document, to)
    if (typeof value === 'boolean') return value
    state.losses.missing.add(to)
    return {}
  }
  if (level >= detail.levelsMax) return writeShortForm(state, target)
  const key = `${form} ${to}`
  const known = names.get(key)
  const name = known ?? makeName(form === 'base' ? `${to}_base` : to, state.taken)
  edges.set(state.current, (edges.get(state.current) ?? new Set()).add(name))
  state.references.push({ to, form, level: level + 1 })
  if (known === undefined) {
    names.set(key, name)
    state.taken.add(name)
    waiting.push({ name, to, schema: target, level: level + 1, form })
  }
  state.bytes += name.length + REFERENCE_BYTES
  state.nameBytes += name.length
  return { $ref: `#/$defs/${name}` }
}

/** Bytes of `{"$ref":"#/$defs/"}`. */
const REFERENCE_BYTES = 20

/** True for a schema with subtypes. In `allOf`, such a part is only the base of a schema. */
export function isExtended(document: JsonObject, part: Json): boolean {
  const schema = resolveObject(document, part)
  const found = schema === undefined ? undefined : findDiscriminator(document, schema)
  return found !== undefined && found.subtypes.length > 0
}

function makeName(to: string, taken: ReadonlySet<string>): string {
  const last = to.slice(to.lastIndexOf('/') + 1)
  const plain = last.replace(/[^A-Za-z0-9_.-]/g, '_') || 'schema'
  let name = plain
  for (let count = 2; taken.has(name); count += 1) name = `${plain}_${count}`
  return name
}

/**
 * True if a definition refers to itself, directly or through others. The walk is depth first,
 * without recursion, because a chain of references may be long.
 */
export function hasCircle(edges: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  const done = new Set<string>()
  return [...edges.keys()].some((name) => !done.has(name) && hasCircleFrom(name, edges, done))
}

function hasCircleFrom(
  start: string,
  edges: ReadonlyMap<string, ReadonlySet<string>>,
  done: Set<string>,
): boolean {
  const open = new Set<string>([start])
  const stack = [{ name: start, next: [...(edges.get(start) ?? [])] }]
  for (let at = stack.at(-1); at !== undefined; at = stack.at(-1)) {
    const to = at.next.pop()
    if (to === undefined) {
      open.delete(at.name)
      done.add(at.name)
      stack.pop()
    } else if (open.has(to)) return true
    else if (!done.has(to)) {
      open.add(to)
      stack.push({ name: to, next: [...(edges.get(to) ?? [])] })
    }
  }
  return false
}

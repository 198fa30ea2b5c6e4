/**
 * A JSON Schema (2020-12, and what older drafts wrote differently) as checks by the kind of value. Each
 * schema in it is compiled when a value first meets it, without code generation, so that a cold start pays
 * for what it uses. Throws {@link UnusableSchema} for what no schema that was judged holds.
 */
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts'
import { atPointer } from '../../core/json/json-pointer.ts'
import { localPointer } from './schema-references.ts'
import { addSeen, misfit, newSeen, type Place, type Run, type Seen, spend } from './schema-run.ts'

/** False for a value that does not fit; the faults are in the run. */
export type Check = (
  run: Run,
  value: Json,
  at: Place | undefined,
  seen: Seen | undefined,
) => boolean

/** Undefined: this keyword has nothing to check in such a schema. */
export type Build = (schema: JsonObject, document: Document) => Check | undefined

type KindOfValue = 'object' | 'array' | 'string' | 'number' | 'other'
type Checks = { readonly [kind in KindOfValue]: readonly Check[] }

/** In the order of their checks; `any` come first. */
export type Keywords = {
  readonly any: readonly Build[]
  readonly object: readonly Build[]
  readonly array: readonly Build[]
  readonly string: readonly Build[]
  readonly number: readonly Build[]
}

/** One schema of a document. */
export type Node = {
  readonly schema: Json
  readonly document: Document
  checks?: Checks
  /** It asks what the others in its place have looked at. */
  asksSeen: boolean
}

export type Document = {
  readonly root: JsonObject
  readonly keywords: Keywords
  /** So that what `$ref` leads to is compiled once. */
  readonly nodes: WeakMap<JsonObject, Node>
}

export class UnusableSchema extends Error {
  override readonly name = 'UnusableSchema'
}

export function fits(
  run: Run,
  node: Node,
  value: Json,
  at: Place | undefined,
  seen: Seen | undefined,
): boolean {
  if (node.schema === true) return true
  if (node.schema === false) return misfit(run, at, 'false', undefined)
  node.checks ??= compile(node)
  const checks = node.checks[kindOfValue(value)]
  spend(run, (CHECKS_PER_STEP - 1 + checks.length) / CHECKS_PER_STEP)
  if (node.asksSeen) return fitsAndSees(run, checks, value, at, seen)
  return passesAll(run, checks, value, at, seen)
}

/** Meeting a value costs more than most of its checks. */
const CHECKS_PER_STEP = 4

/** What is looked at under this schema counts for those around it when the value fits. */
function fitsAndSees(
  run: Run,
  checks: readonly Check[],
  value: Json,
  at: Place | undefined,
  around: Seen | undefined,
): boolean {
  const seen = newSeen(run)
  const fitting = passesAll(run, checks, value, at, seen)
  if (fitting && around !== undefined) addSeen(run, around, seen)
  return fitting
}

/** A plain loop: each schema that meets a value comes by here. */
function passesAll(
  run: Run,
  checks: readonly Check[],
  value: Json,
  at: Place | undefined,
  seen: Seen | undefined,
): boolean {
  let passing = true
  for (const check of checks) {
    if (check(run, value, at, seen)) continue
    if (run.room === 0) return false
    passing = false
  }
  return passing
}

/** The outcome alone: no fault is noted, and the first misfit decides. */
export function fitsQuietly(
  run: Run,
  node: Node,
  value: Json,
  at: Place | undefined,
  seen: Seen | undefined,
): boolean {
  const { room } = run
  run.room = 0
  const fitting = fits(run, node, value, at, seen)
  run.room = room
  return fitting
}

export function nodeOf(schema: Json | undefined, document: Document): Node {
  if (typeof schema === 'boolean') return { schema, document, asksSeen: false }
  if (!isJsonObject(schema)) throw new UnusableSchema()
  const known = document.nodes.get(schema)
  if (known !== undefined) return known
  const node = { schema, document, asksSeen: asksSeen(schema) }
  document.nodes.set(schema, node)
  return node
}

export function referredNode(reference: string, document: Document): Node {
  const pointer = localPointer(reference)
  if (pointer === undefined) throw new UnusableSchema()
  return nodeOf(atPointer(document.root, pointer), document)
}

function asksSeen(schema: JsonObject): boolean {
  return schema['unevaluatedProperties'] !== undefined || schema['unevaluatedItems'] !== undefined
}

/** Whole or not at all: a check that is cut by its time leaves nothing half made. */
function compile({ document, schema }: Node): Checks {
  if (!isJsonObject(schema)) throw new UnusableSchema()
  const built = (builds: readonly Build[]) =>
    builds.flatMap((build) => build(schema, document) ?? [])
  const { keywords } = document
  const any = built(keywords.any)
  return {
    object: [...any, ...built(keywords.object)],
    array: [...any, ...built(keywords.array)],
    string: [...any, ...built(keywords.string)],
    number: [...any, ...built(keywords.number)],
    other: any,
  }
}

function kindOfValue(value: Json): KindOfValue {
  if (typeof value === 'string') return 'string'
  if (typeof value === 'number') return 'number'
  if (typeof value !== 'object' || value === null) return 'other'
  return Array.isArray(value) ? 'array' : 'object'
}

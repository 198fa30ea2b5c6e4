/**
 * A JSON Schema (2020-12, and what older drafts wrote differently) as checks by the kind of value. Each
 * schema in it is compiled when a value first meets it, without code generation, so that a cold start pays
 * for what it uses. Throws {@link UnusableSchema} for forms that `schemaFaults` refuses.
 */
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts'
import { atPointer } from '../../core/json/json-pointer.ts'
import { localPointer } from './schema-references.ts'
import {
  addEvaluated,
  type Evaluated,
  misfit,
  newEvaluated,
  type Place,
  type Run,
  spend,
} from './schema-run.ts'

/** False for a value that does not fit; the faults are in the run. */
export type Check = (
  run: Run,
  value: Json,
  at: Place | undefined,
  evaluated: Evaluated | undefined,
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
  readonly fits: Check
  /** The outcome alone: no fault is noted, and the first misfit decides. */
  readonly fitsQuietly: Check
}

/** Whether a search finds something in a text. Calls `spend` before or while it works; what `spend` throws ends it. */
export type SearchText = (text: string, spend: (steps: number) => void) => boolean
/** Compiles a search in the syntax of RE2. */
export type PatternEngine = (source: string) => SearchText

export type Document = {
  readonly root: JsonObject
  readonly patterns: PatternEngine
  readonly keywords: Keywords
  /** By schema, so that the target of several `$ref`s is compiled once. */
  readonly nodes: WeakMap<JsonObject, Node>
}

export class UnusableSchema extends Error {
  override readonly name = 'UnusableSchema'
}

export function nodeOf(schema: Json | undefined, document: Document): Node {
  if (schema === true) return FITS_ALL
  if (schema === false) return FITS_NONE
  if (!isJsonObject(schema)) throw new UnusableSchema()
  const known = document.nodes.get(schema)
  if (known !== undefined) return known
  const node = makeNode(checkOf(schema, document))
  document.nodes.set(schema, node)
  return node
}

function makeNode(fits: Check): Node {
  return { fits, fitsQuietly: quietly(fits) }
}

function quietly(check: Check): Check {
  return (run, value, at, evaluated) => {
    const { room } = run
    run.room = 0
    const fitting = check(run, value, at, evaluated)
    run.room = room
    return fitting
  }
}

const FITS_ALL = makeNode(() => true)
const FITS_NONE = makeNode((run, _value, at) => misfit(run, at, 'false', undefined))

/** Meeting a value costs more than most of its checks. */
const CHECKS_PER_STEP = 4

/** A plain loop: each schema that meets a value comes by here. */
function checkOf(schema: JsonObject, document: Document): Check {
  let checks: Checks | undefined
  const passesAll: Check = (run, value, at, evaluated) => {
    checks ??= compile(schema, document)
    const own = checks[kindOfValue(value)]
    spend(run, (CHECKS_PER_STEP - 1 + own.length) / CHECKS_PER_STEP)
    let passing = true
    for (const check of own) {
      if (check(run, value, at, evaluated)) continue
      if (run.room === 0) return false
      passing = false
    }
    return passing
  }
  return needsEvaluated(schema) ? collectingEvaluated(passesAll) : passesAll
}

/** These keywords need what the other keywords of the schema have evaluated. */
function needsEvaluated(schema: JsonObject): boolean {
  return schema['unevaluatedProperties'] !== undefined || schema['unevaluatedItems'] !== undefined
}

/** Members and items evaluated under this schema count for the schemas around it when the value fits. */
function collectingEvaluated(check: Check): Check {
  return (run, value, at, around) => {
    const evaluated = newEvaluated(run)
    const fitting = check(run, value, at, evaluated)
    if (fitting && around !== undefined) addEvaluated(run, around, evaluated)
    return fitting
  }
}

export function referredNode(reference: string, document: Document): Node {
  const pointer = localPointer(reference)
  if (pointer === undefined) throw new UnusableSchema()
  return nodeOf(atPointer(document.root, pointer), document)
}

function compile(schema: JsonObject, document: Document): Checks {
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

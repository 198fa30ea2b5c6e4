/**
 * Compiles a JSON Schema (2020-12, and the forms of older drafts) to checks by the kind of value.
 * Each schema in it is compiled when a value first reaches it, without code generation, so that a
 * cold start compiles only what it uses. Throws {@link UnusableSchema} for forms that
 * `schemaFaults` refuses.
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

/** False for a value that does not fit; its errors are in the run. */
export type Check = (
  run: Run,
  value: Json,
  at: Place | undefined,
  evaluated: Evaluated | undefined,
) => boolean

/** Makes the check of a keyword; undefined if the schema does not have the keyword. */
export type Build = (schema: JsonObject, document: Document) => Check | undefined

type KindOfValue = 'object' | 'array' | 'string' | 'number' | 'other'
type Checks = { readonly [kind in KindOfValue]: readonly Check[] }

/** Builders in the order of their checks; those of `any` are first. */
export type Keywords = {
  readonly any: readonly Build[]
  readonly object: readonly Build[]
  readonly array: readonly Build[]
  readonly string: readonly Build[]
  readonly number: readonly Build[]
}

/** A compiled schema. */
export type Node = {
  readonly fits: Check
  /** Notes no error, so the first misfit ends the check. */
  readonly fitsQuietly: Check
}

/** True if the search matches. It calls `spend` while it works; an error of `spend` ends it. */
export type SearchText = (text: string, spend: (steps: number) => void) => boolean
/** Compiles a search in the syntax of RE2. */
export type PatternEngine = (source: string) => SearchText

export type Document = {
  readonly root: JsonObject
  readonly patterns: PatternEngine
  readonly keywords: Keywords
  /** Compiled schemas, so that the target of several `$ref`s is compiled once. */
  readonly nodes: WeakMap<JsonObject, Node>
}

/** The schema has a form that this checker refuses. */
export class UnusableSchema extends Error {
  override readonly name = 'UnusableSchema'
}

/** The compiled form of a schema in the document. */
export function nodeOf(schema: Json | undefined, document: Document): Node {
  if (schema === true) return FITS_ALL
  if (schema === false) return FITS_NONE
  if (!isJsonObject(schema)) throw new UnusableSchema()
  const known = document.nodes.get(schema)
  if (known !== undefined) return known
  const node = makeNode(buildCheck(schema, document))
  document.nodes.set(schema, node)
  return node
}

function makeNode(fits: Check): Node {
  return { fits, fitsQuietly: withoutErrors(fits) }
}

function withoutErrors(check: Check): Check {
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

/** Checks in one step; reaching a value costs more than most of its checks. */
const CHECKS_PER_STEP = 4

/** All checks of a schema. A plain loop for speed, because every value passes through it. */
function buildCheck(schema: JsonObject, document: Document): Check {
  let checks: Checks | undefined
  const passesAll: Check = (run, value, at, evaluated) => {
    checks ??= compile(schema, document)
    const own = checks[readKind(value)]
    spend(run, (CHECKS_PER_STEP - 1 + own.length) / CHECKS_PER_STEP)
    let passing = true
    for (const check of own) {
      if (check(run, value, at, evaluated)) continue
      if (run.room === 0) return false
      passing = false
    }
    return passing
  }
  return needsEvaluated(schema) ? withEvaluated(passesAll) : passesAll
}

/** True if a keyword needs what the other keywords of the schema evaluated. */
function needsEvaluated(schema: JsonObject): boolean {
  return schema['unevaluatedProperties'] !== undefined || schema['unevaluatedItems'] !== undefined
}

/** Hands what this schema evaluated to the schema around it, if the value fits. */
function withEvaluated(check: Check): Check {
  return (run, value, at, around) => {
    const evaluated = newEvaluated(run)
    const fitting = check(run, value, at, evaluated)
    if (fitting && around !== undefined) addEvaluated(run, around, evaluated)
    return fitting
  }
}

/** The compiled schema that a `$ref` names. */
export function referredNode(reference: string, document: Document): Node {
  const pointer = localPointer(reference)
  if (pointer === undefined) throw new UnusableSchema()
  return nodeOf(atPointer(document.root, pointer), document)
}

function compile(schema: JsonObject, document: Document): Checks {
  const buildAll = (builds: readonly Build[]) =>
    builds.flatMap((build) => build(schema, document) ?? [])
  const { keywords } = document
  const any = buildAll(keywords.any)
  return {
    object: [...any, ...buildAll(keywords.object)],
    array: [...any, ...buildAll(keywords.array)],
    string: [...any, ...buildAll(keywords.string)],
    number: [...any, ...buildAll(keywords.number)],
    other: any,
  }
}

function readKind(value: Json): KindOfValue {
  if (typeof value === 'string') return 'string'
  if (typeof value === 'number') return 'number'
  if (typeof value !== 'object' || value === null) return 'other'
  return Array.isArray(value) ? 'array' : 'object'
}

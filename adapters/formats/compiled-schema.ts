/**
 * Compiles a JSON Schema (2020-12, and the forms of older drafts) to checks by the kind of value.
 * Each schema in it is compiled when a value first reaches it, without code generation, so that a
 * cold start compiles only what it uses. Throws {@link UnusableSchema} for forms that
 * `schemaFaults` refuses.
 */
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts'
import { readPointer } from '../../core/json/json-pointer.ts'
import { readLocalPointer } from './schema-references.ts'
import {
  addEvaluated,
  type EvaluatedParts,
  makeEvaluated,
  noteMisfit,
  type SchemaRun,
  spend,
  type ValuePlace,
} from './schema-run.ts'

/** False for a value that does not fit; its errors are in the run. */
export type SchemaCheck = (
  run: SchemaRun,
  value: Json,
  at: ValuePlace | undefined,
  evaluated: EvaluatedParts | undefined,
) => boolean

/** Makes the check of a keyword; undefined if the schema does not have the keyword. */
export type BuildCheck = (schema: JsonObject, document: SchemaDocument) => SchemaCheck | undefined

type KindOfValue = 'object' | 'array' | 'string' | 'number' | 'other'
type Checks = { readonly [kind in KindOfValue]: readonly SchemaCheck[] }

/** Builders in the order of their checks; those of `any` are first. */
export type Keywords = {
  readonly any: readonly BuildCheck[]
  readonly object: readonly BuildCheck[]
  readonly array: readonly BuildCheck[]
  readonly string: readonly BuildCheck[]
  readonly number: readonly BuildCheck[]
}

/** A compiled schema. */
export type SchemaNode = {
  readonly fits: SchemaCheck
  /** Notes no error, so the first misfit ends the check. */
  readonly fitsQuietly: SchemaCheck
}

/** True if the search matches. It calls `spend` while it works; an error of `spend` ends it. */
export type SearchText = (text: string, spend: (steps: number) => void) => boolean
/** Compiles a search in the syntax of RE2. */
export type PatternEngine = (source: string) => SearchText

export type SchemaDocument = {
  readonly root: JsonObject
  readonly patterns: PatternEngine
  readonly keywords: Keywords
  /** Compiled schemas, so that the target of several `$ref`s is compiled once. */
  readonly nodes: WeakMap<JsonObject, SchemaNode>
}

/** The schema has a form that this checker refuses. */
export class UnusableSchema extends Error {
  override readonly name = 'UnusableSchema'
}

/** The compiled form of a schema in the document. */
export function findNode(schema: Json | undefined, document: SchemaDocument): SchemaNode {
  if (schema === true) return FITS_ALL
  if (schema === false) return FITS_NONE
  if (!isJsonObject(schema)) throw new UnusableSchema()
  const known = document.nodes.get(schema)
  if (known !== undefined) return known
  const node = makeNode(buildCheck(schema, document))
  document.nodes.set(schema, node)
  return node
}

function makeNode(fits: SchemaCheck): SchemaNode {
  return { fits, fitsQuietly: withoutErrors(fits) }
}

function withoutErrors(check: SchemaCheck): SchemaCheck {
  return (run, value, at, evaluated) => {
    const { room } = run
    run.room = 0
    const fitting = check(run, value, at, evaluated)
    run.room = room
    return fitting
  }
}

const FITS_ALL = makeNode(() => true)
const FITS_NONE = makeNode((run, _value, at) => noteMisfit(run, at, 'false', undefined))

/** Checks in one step; reaching a value costs more than most of its checks. */
const CHECKS_PER_STEP = 4

/** All checks of a schema. A plain loop for speed, because every value passes through it. */
function buildCheck(schema: JsonObject, document: SchemaDocument): SchemaCheck {
  let checks: Checks | undefined
  const passesAll: SchemaCheck = (run, value, at, evaluated) => {
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
function withEvaluated(check: SchemaCheck): SchemaCheck {
  return (run, value, at, around) => {
    const evaluated = makeEvaluated(run)
    const fitting = check(run, value, at, evaluated)
    if (fitting && around !== undefined) addEvaluated(run, around, evaluated)
    return fitting
  }
}

/** The compiled schema that a `$ref` names. */
export function findReferredNode(reference: string, document: SchemaDocument): SchemaNode {
  const pointer = readLocalPointer(reference)
  if (pointer === undefined) throw new UnusableSchema()
  return findNode(readPointer(document.root, pointer), document)
}

function compile(schema: JsonObject, document: SchemaDocument): Checks {
  const buildAll = (builds: readonly BuildCheck[]) =>
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

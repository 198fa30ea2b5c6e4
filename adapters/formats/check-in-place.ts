/**
 * Checks of keywords whose schemas apply to the same value: references, alternatives, conditions.
 */
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts'
import {
  type BuildCheck,
  findNode,
  findReferredNode,
  type SchemaCheck,
  type SchemaDocument,
  type SchemaNode,
  UnusableSchema,
} from './compiled-schema.ts'
import { addEvaluated, allFit, isSure, makeEvaluated, noteMisfit, spend } from './schema-run.ts'

export const REFERENCE_KEYWORDS: readonly BuildCheck[] = [
  (schema, document) => checkReference(schema['$ref'], document),
  (schema, document) => checkReference(schema['$recursiveRef'], document),
]

export const ALTERNATIVE_KEYWORDS: readonly BuildCheck[] = [
  ({ not }, document) => (not === undefined ? undefined : buildNot(findNode(not, document))),
  ({ anyOf }, document) => buildList(anyOf, document, (nodes) => buildAlternatives('anyOf', nodes)),
  ({ allOf }, document) => buildList(allOf, document, buildAllOf),
  ({ oneOf }, document) => buildList(oneOf, document, (nodes) => buildAlternatives('oneOf', nodes)),
  buildCondition,
]

function checkReference(
  value: Json | undefined,
  document: SchemaDocument,
): SchemaCheck | undefined {
  if (value === undefined) return undefined
  if (typeof value !== 'string') throw new UnusableSchema()
  const node = findReferredNode(value, document)
  return node.fits
}

function buildList(
  value: Json | undefined,
  document: SchemaDocument,
  check: (nodes: readonly SchemaNode[]) => SchemaCheck,
): SchemaCheck | undefined {
  if (value === undefined) return undefined
  if (!Array.isArray(value)) throw new UnusableSchema()
  return check(value.map((schema: Json) => findNode(schema, document)))
}

function buildNot(node: SchemaNode): SchemaCheck {
  return (run, value, at) => {
    const before = run.unknowns
    const fitting = node.fitsQuietly(run, value, at, undefined)
    return !fitting || !isSure(run, before) || noteMisfit(run, at, 'not', undefined)
  }
}

function buildAllOf(nodes: readonly SchemaNode[]): SchemaCheck {
  return (run, value, at, evaluated) =>
    allFit(run, nodes, (node) => node.fits(run, value, at, evaluated))
}

/** Collects the errors of the alternatives only if too few or too many fit: most values fit one. */
function buildAlternatives(keyword: 'anyOf' | 'oneOf', nodes: readonly SchemaNode[]): SchemaCheck {
  const fittingMax = keyword === 'oneOf' ? 1 : nodes.length
  const countFitting = makeCounter(keyword, nodes.map(makeBranch))
  return (run, value, at, evaluated) => {
    const before = run.unknowns
    const count = countFitting(run, value, at, evaluated)
    if (count > 0 && (count <= fittingMax || !isSure(run, before))) return true
    noteMisfit(run, at, keyword, undefined)
    allFit(run, nodes, (node) => node.fits(run, value, at, undefined))
    return false
  }
}

/**
 * Counts the alternatives that fit, and stops at the one that decides. If an `unevaluated…` keyword
 * needs what each alternative of `anyOf` evaluated, all of them are checked.
 */
function makeCounter(
  keyword: 'anyOf' | 'oneOf',
  branches: readonly SchemaCheck[],
): (...met: Parameters<SchemaCheck>) => number {
  const countMax = keyword === 'oneOf' ? 2 : 1
  return (run, value, at, evaluated) => {
    let count = 0
    for (const fits of branches) {
      if (fits(run, value, at, evaluated)) count += 1
      if (count >= countMax && (evaluated === undefined || countMax === 2)) break
    }
    return count
  }
}

/**
 * Checks an alternative. Its members and items are noted as evaluated only if the value fits it.
 */
function makeBranch(node: SchemaNode): SchemaCheck {
  return (run, value, at, evaluated) => {
    spend(run, 1)
    if (evaluated === undefined) return node.fitsQuietly(run, value, at, undefined)
    const own = makeEvaluated(run)
    const fitting = node.fitsQuietly(run, value, at, own)
    if (fitting) addEvaluated(run, evaluated, own)
    return fitting
  }
}

function buildCondition(schema: JsonObject, document: SchemaDocument): SchemaCheck | undefined {
  if (schema['if'] === undefined) return undefined
  const fitsCondition = makeBranch(findNode(schema['if'], document))
  const [yes, no] = [schema['then'], schema['else']].map((one) =>
    one === undefined ? undefined : findNode(one, document),
  )
  return (run, value, at, evaluated) => {
    const before = run.unknowns
    const next = fitsCondition(run, value, at, evaluated) ? yes : no
    if (isSure(run, before)) return next === undefined || next.fits(run, value, at, evaluated)
    // Either branch may apply, so the value passes, and what both branches evaluate is noted.
    for (const node of [yes, no]) node?.fitsQuietly(run, value, at, evaluated)
    return true
  }
}

export const DEPENDENT_KEYWORDS: readonly BuildCheck[] = [
  ({ dependentRequired }) =>
    dependentRequired === undefined ? undefined : buildDependentNames(dependentRequired),
  ({ dependentSchemas }, document) =>
    dependentSchemas === undefined ? undefined : buildDependentSchemas(dependentSchemas, document),
  ({ dependencies }, document) => {
    if (dependencies === undefined) return undefined
    const entries = Object.entries(requireObject(dependencies))
    const names = buildDependentNames(
      Object.fromEntries(entries.filter(([, one]) => Array.isArray(one))),
    )
    const others = Object.fromEntries(entries.filter(([, one]) => !Array.isArray(one)))
    const schemas = buildDependentSchemas(others, document)
    return (run, value, at, evaluated) => {
      const fitting = names(run, value, at, evaluated)
      return schemas(run, value, at, evaluated) && fitting
    }
  },
]

function buildDependentSchemas(value: Json, document: SchemaDocument): SchemaCheck {
  const entries = Object.entries(requireObject(value)).map(
    ([name, schema]) => [name, findNode(schema, document)] as const,
  )
  return (run, members, at, evaluated) => {
    spend(run, entries.length)
    return allFit(
      run,
      entries,
      ([name, node]) =>
        !Object.hasOwn(Object(members), name) || node.fits(run, members, at, evaluated),
    )
  }
}

function buildDependentNames(value: Json): SchemaCheck {
  const entries = Object.entries(requireObject(value)).map(([name, needs]) => {
    if (!Array.isArray(needs)) throw new UnusableSchema()
    return [name, needs.map(String)] as const
  })
  const size = entries.reduce((sum, [, needs]) => sum + 1 + needs.length, 0)
  return (run, members, at) => {
    spend(run, size)
    const has = (name: string) => Object.hasOwn(Object(members), name)
    return allFit(
      run,
      entries,
      ([name, needs]) =>
        !has(name) || needs.every(has) || noteMisfit(run, at, 'dependentRequired', undefined),
    )
  }
}

function requireObject(value: Json): JsonObject {
  if (!isJsonObject(value)) throw new UnusableSchema()
  return value
}

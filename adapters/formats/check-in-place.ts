/**
 * Checks of keywords whose schemas apply to the same value: references, alternatives, conditions.
 */
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts'
import {
  type Build,
  type Check,
  type Document,
  type Node,
  nodeOf,
  referredNode,
  UnusableSchema,
} from './compiled-schema.ts'
import { addEvaluated, allFit, isSure, misfit, newEvaluated, spend } from './schema-run.ts'

export const REFERENCES: readonly Build[] = [
  (schema, document) => checkReference(schema['$ref'], document),
  (schema, document) => checkReference(schema['$recursiveRef'], document),
]

export const ALTERNATIVES: readonly Build[] = [
  ({ not }, document) => (not === undefined ? undefined : buildNot(nodeOf(not, document))),
  ({ anyOf }, document) => buildList(anyOf, document, (nodes) => buildAlternatives('anyOf', nodes)),
  ({ allOf }, document) => buildList(allOf, document, buildAllOf),
  ({ oneOf }, document) => buildList(oneOf, document, (nodes) => buildAlternatives('oneOf', nodes)),
  buildCondition,
]

function checkReference(value: Json | undefined, document: Document): Check | undefined {
  if (value === undefined) return undefined
  if (typeof value !== 'string') throw new UnusableSchema()
  const node = referredNode(value, document)
  return node.fits
}

function buildList(
  value: Json | undefined,
  document: Document,
  check: (nodes: readonly Node[]) => Check,
): Check | undefined {
  if (value === undefined) return undefined
  if (!Array.isArray(value)) throw new UnusableSchema()
  return check(value.map((schema: Json) => nodeOf(schema, document)))
}

function buildNot(node: Node): Check {
  return (run, value, at) => {
    const before = run.unknowns
    const fitting = node.fitsQuietly(run, value, at, undefined)
    return !fitting || !isSure(run, before) || misfit(run, at, 'not', undefined)
  }
}

function buildAllOf(nodes: readonly Node[]): Check {
  return (run, value, at, evaluated) =>
    allFit(run, nodes, (node) => node.fits(run, value, at, evaluated))
}

/** Collects the errors of the alternatives only if too few or too many fit: most values fit one. */
function buildAlternatives(keyword: 'anyOf' | 'oneOf', nodes: readonly Node[]): Check {
  const fittingMax = keyword === 'oneOf' ? 1 : nodes.length
  const countFitting = makeCounter(keyword, nodes.map(makeBranch))
  return (run, value, at, evaluated) => {
    const before = run.unknowns
    const count = countFitting(run, value, at, evaluated)
    if (count > 0 && (count <= fittingMax || !isSure(run, before))) return true
    misfit(run, at, keyword, undefined)
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
  branches: readonly Check[],
): (...met: Parameters<Check>) => number {
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
function makeBranch(node: Node): Check {
  return (run, value, at, evaluated) => {
    spend(run, 1)
    if (evaluated === undefined) return node.fitsQuietly(run, value, at, undefined)
    const own = newEvaluated(run)
    const fitting = node.fitsQuietly(run, value, at, own)
    if (fitting) addEvaluated(run, evaluated, own)
    return fitting
  }
}

function buildCondition(schema: JsonObject, document: Document): Check | undefined {
  if (schema['if'] === undefined) return undefined
  const fitsCondition = makeBranch(nodeOf(schema['if'], document))
  const [yes, no] = [schema['then'], schema['else']].map((one) =>
    one === undefined ? undefined : nodeOf(one, document),
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

export const DEPENDENT: readonly Build[] = [
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

function buildDependentSchemas(value: Json, document: Document): Check {
  const entries = Object.entries(requireObject(value)).map(
    ([name, schema]) => [name, nodeOf(schema, document)] as const,
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

function buildDependentNames(value: Json): Check {
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
        !has(name) || needs.every(has) || misfit(run, at, 'dependentRequired', undefined),
    )
  }
}

function requireObject(value: Json): JsonObject {
  if (!isJsonObject(value)) throw new UnusableSchema()
  return value
}

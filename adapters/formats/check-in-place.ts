/** Keywords whose schemas see the same value: references, alternatives, conditions. */
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
  (schema, document) => reference(schema['$ref'], document),
  (schema, document) => reference(schema['$recursiveRef'], document),
]

export const ALTERNATIVES: readonly Build[] = [
  ({ not }, document) => (not === undefined ? undefined : notCheck(nodeOf(not, document))),
  ({ anyOf }, document) => listCheck(anyOf, document, (nodes) => alternatives('anyOf', nodes)),
  ({ allOf }, document) => listCheck(allOf, document, allOfCheck),
  ({ oneOf }, document) => listCheck(oneOf, document, (nodes) => alternatives('oneOf', nodes)),
  conditionOf,
]

function reference(value: Json | undefined, document: Document): Check | undefined {
  if (value === undefined) return undefined
  if (typeof value !== 'string') throw new UnusableSchema()
  const node = referredNode(value, document)
  return node.fits
}

function listCheck(
  value: Json | undefined,
  document: Document,
  check: (nodes: readonly Node[]) => Check,
): Check | undefined {
  if (value === undefined) return undefined
  if (!Array.isArray(value)) throw new UnusableSchema()
  return check(value.map((schema: Json) => nodeOf(schema, document)))
}

function notCheck(node: Node): Check {
  return (run, value, at) => {
    const before = run.unknowns
    const fitting = node.fitsQuietly(run, value, at, undefined)
    return !fitting || !isSure(run, before) || misfit(run, at, 'not', undefined)
  }
}

function allOfCheck(nodes: readonly Node[]): Check {
  return (run, value, at, evaluated) =>
    allFit(run, nodes, (node) => node.fits(run, value, at, evaluated))
}

/** Collects the faults of the alternatives only when too few or too many fit: most values fit one. */
function alternatives(keyword: 'anyOf' | 'oneOf', nodes: readonly Node[]): Check {
  const most = keyword === 'oneOf' ? 1 : nodes.length
  const countFitting = counter(keyword, nodes.map(branchOf))
  return (run, value, at, evaluated) => {
    const before = run.unknowns
    const count = countFitting(run, value, at, evaluated)
    if (count > 0 && (count <= most || !isSure(run, before))) return true
    misfit(run, at, keyword, undefined)
    allFit(run, nodes, (node) => node.fits(run, value, at, undefined))
    return false
  }
}

/**
 * Stops at the alternative that decides. Goes to the end of `anyOf` where an `unevaluated…` keyword needs what
 * each one evaluated.
 */
function counter(
  keyword: 'anyOf' | 'oneOf',
  branches: readonly Check[],
): (...met: Parameters<Check>) => number {
  const decides = keyword === 'oneOf' ? 2 : 1
  return (run, value, at, evaluated) => {
    let count = 0
    for (const fits of branches) {
      if (fits(run, value, at, evaluated)) count += 1
      if (count >= decides && (evaluated === undefined || decides === 2)) break
    }
    return count
  }
}

/** Members and items that a misfitting schema looked at do not count as evaluated. */
function branchOf(node: Node): Check {
  return (run, value, at, evaluated) => {
    spend(run, 1)
    if (evaluated === undefined) return node.fitsQuietly(run, value, at, undefined)
    const own = newEvaluated(run)
    const fitting = node.fitsQuietly(run, value, at, own)
    if (fitting) addEvaluated(run, evaluated, own)
    return fitting
  }
}

function conditionOf(schema: JsonObject, document: Document): Check | undefined {
  if (schema['if'] === undefined) return undefined
  const fitsCondition = branchOf(nodeOf(schema['if'], document))
  const [yes, no] = [schema['then'], schema['else']].map((one) =>
    one === undefined ? undefined : nodeOf(one, document),
  )
  return (run, value, at, evaluated) => {
    const before = run.unknowns
    const next = fitsCondition(run, value, at, evaluated) ? yes : no
    if (isSure(run, before)) return next === undefined || next.fits(run, value, at, evaluated)
    // Either may be the one; members and items that both know count as evaluated.
    for (const node of [yes, no]) node?.fitsQuietly(run, value, at, evaluated)
    return true
  }
}

export const DEPENDENT: readonly Build[] = [
  ({ dependentRequired }) =>
    dependentRequired === undefined ? undefined : dependentNames(dependentRequired),
  ({ dependentSchemas }, document) =>
    dependentSchemas === undefined ? undefined : dependents(dependentSchemas, document),
  ({ dependencies }, document) => {
    if (dependencies === undefined) return undefined
    const entries = Object.entries(objectOf(dependencies))
    const names = dependentNames(
      Object.fromEntries(entries.filter(([, one]) => Array.isArray(one))),
    )
    const others = Object.fromEntries(entries.filter(([, one]) => !Array.isArray(one)))
    const schemas = dependents(others, document)
    return (run, value, at, evaluated) => {
      const fitting = names(run, value, at, evaluated)
      return schemas(run, value, at, evaluated) && fitting
    }
  },
]

function dependents(value: Json, document: Document): Check {
  const entries = Object.entries(objectOf(value)).map(
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

function dependentNames(value: Json): Check {
  const entries = Object.entries(objectOf(value)).map(([name, needs]) => {
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

function objectOf(value: Json): JsonObject {
  if (!isJsonObject(value)) throw new UnusableSchema()
  return value
}

/** Checks of keywords about arrays: the number of items, and what they contain. */
import type { Json, JsonObject } from '../../core/json/json.ts'
import {
  type Build,
  type Check,
  type Document,
  type Node,
  nodeOf,
  UnusableSchema,
} from './compiled-schema.ts'
import { hasTwice } from './distinct-items.ts'
import {
  allFit,
  type Evaluated,
  isSure,
  misfit,
  noteItem,
  type Place,
  type Run,
  spend,
} from './schema-run.ts'

export const ITEMS: readonly Build[] = [
  buildCount('maxItems', (count, limit) => count <= limit),
  buildCount('minItems', (count, limit) => count >= limit),
  buildItems,
  buildContains,
  buildUnevaluated,
  ({ uniqueItems }) =>
    uniqueItems === true
      ? (run, value, at) =>
          hasTwice(run, asList(value)) ? misfit(run, at, 'uniqueItems', true) : true
      : undefined,
]

function asList(value: Json): readonly Json[] {
  return Array.isArray(value) ? value : []
}

function buildCount(keyword: string, isWithin: (count: number, limit: number) => boolean): Build {
  return (schema) => {
    const limit = schema[keyword]
    if (typeof limit !== 'number') return undefined
    return (run, value, at) =>
      isWithin(asList(value).length, limit) || misfit(run, at, keyword, limit)
  }
}

/** In older drafts, `prefixItems` and `items` are named `items` and `additionalItems`. */
function buildItems(schema: JsonObject, document: Document): Check | undefined {
  const { additionalItems, items, prefixItems } = schema
  const isOlder = Array.isArray(items)
  const first = isOlder ? items : prefixItems
  const others = isOlder ? additionalItems : items
  if (first === undefined && others === undefined) return undefined
  if (first !== undefined && !Array.isArray(first)) throw new UnusableSchema()
  const firstNodes = (first ?? []).map((one: Json) => nodeOf(one, document))
  const otherNode = others === undefined ? undefined : nodeOf(others, document)
  return (run, value, at, evaluated) => {
    const list = asList(value)
    const end = otherNode === undefined ? Math.min(firstNodes.length, list.length) : list.length
    const nodeAt = (index: number) => firstNodes[index] ?? otherNode
    const fitting = checkItems(run, list, { at, end, nodeAt })
    if (evaluated !== undefined) evaluated.itemsUpTo = Math.max(evaluated.itemsUpTo, end)
    return fitting
  }
}

type Items = {
  readonly at: Place | undefined
  readonly end: number
  readonly nodeAt: (index: number) => Node | undefined
}

/** A plain loop for speed: most checked values are items. */
function checkItems(run: Run, list: readonly Json[], { at, end, nodeAt }: Items): boolean {
  let fitting = true
  for (let index = 0; index < end; index += 1) {
    const node = nodeAt(index)
    if (node === undefined || checkItem(run, node, list, { above: at, key: index })) continue
    if (run.room === 0) return false
    fitting = false
  }
  return fitting
}

function checkItem(
  run: Run,
  node: Node,
  list: readonly Json[],
  at: Place & { readonly key: number },
): boolean {
  return node.fits(run, list[at.key] ?? null, at, undefined)
}

function buildContains(schema: JsonObject, document: Document): Check | undefined {
  const { contains, maxContains, minContains } = schema
  if (contains === undefined) return undefined
  const node = nodeOf(contains, document)
  const least = typeof minContains === 'number' ? minContains : 1
  const most = typeof maxContains === 'number' ? maxContains : Number.POSITIVE_INFINITY
  return (run, value, at, evaluated) => {
    const list = asList(value)
    const before = run.unknowns
    const count = countFitting(run, node, list, evaluated)
    if (count >= least && (count <= most || !isSure(run, before))) return true
    if (count > most) return misfit(run, at, 'maxContains', maxContains)
    if (minContains !== undefined) return misfit(run, at, 'minContains', minContains)
    misfit(run, at, 'contains', undefined)
    for (let index = 0; index < list.length && run.room > 0; index += 1) {
      checkItem(run, node, list, { above: at, key: index })
    }
    return false
  }
}

/**
 * Checks all items: `maxContains` needs how many fit, and `unevaluatedItems` needs which ones fit.
 */
function countFitting(
  run: Run,
  node: Node,
  list: readonly Json[],
  evaluated: Evaluated | undefined,
): number {
  let count = 0
  for (let index = 0; index < list.length; index += 1) {
    if (!node.fitsQuietly(run, list[index] ?? null, undefined, undefined)) continue
    count += 1
    noteItem(run, evaluated, index)
  }
  return count
}

function buildUnevaluated(schema: JsonObject, document: Document): Check | undefined {
  const { unevaluatedItems } = schema
  if (unevaluatedItems === undefined) return undefined
  const node = nodeOf(unevaluatedItems, document)
  return (run, value, at, evaluated) => {
    const list = asList(value)
    const from = evaluated?.itemsUpTo ?? 0
    spend(run, list.length)
    const fitting = allFit(
      run,
      indexes(from, list.length),
      (index) =>
        evaluated?.items.has(index) === true ||
        checkItem(run, node, list, { above: at, key: index }),
    )
    if (evaluated !== undefined) evaluated.itemsUpTo = list.length
    return fitting
  }
}

function* indexes(from: number, end: number): Generator<number> {
  for (let index = from; index < end; index += 1) yield index
}

/** Checks of keywords about arrays: the number of items, and what they contain. */
import type { Json, JsonObject } from '../../core/json/json.ts'
import {
  type BuildCheck,
  findNode,
  type SchemaCheck,
  type SchemaDocument,
  type SchemaNode,
  UnusableSchema,
} from './compiled-schema.ts'
import { hasRepeatedItem } from './distinct-items.ts'
import {
  allFit,
  type EvaluatedParts,
  isSure,
  noteItem,
  noteMisfit,
  type SchemaRun,
  spend,
  type ValuePlace,
} from './schema-run.ts'

export const ARRAY_KEYWORDS: readonly BuildCheck[] = [
  buildCount('maxItems', (count, limit) => count <= limit),
  buildCount('minItems', (count, limit) => count >= limit),
  buildItems,
  buildContains,
  buildUnevaluated,
  ({ uniqueItems }) =>
    uniqueItems === true
      ? (run, value, at) =>
          hasRepeatedItem(run, asList(value)) ? noteMisfit(run, at, 'uniqueItems', true) : true
      : undefined,
]

function asList(value: Json): readonly Json[] {
  return Array.isArray(value) ? value : []
}

function buildCount(
  keyword: string,
  isWithin: (count: number, limit: number) => boolean,
): BuildCheck {
  return (schema) => {
    const limit = schema[keyword]
    if (typeof limit !== 'number') return undefined
    return (run, value, at) =>
      isWithin(asList(value).length, limit) || noteMisfit(run, at, keyword, limit)
  }
}

/** In older drafts, `prefixItems` and `items` are named `items` and `additionalItems`. */
function buildItems(schema: JsonObject, document: SchemaDocument): SchemaCheck | undefined {
  const { additionalItems, items, prefixItems } = schema
  const isOlder = Array.isArray(items)
  const first = isOlder ? items : prefixItems
  const others = isOlder ? additionalItems : items
  if (first === undefined && others === undefined) return undefined
  if (first !== undefined && !Array.isArray(first)) throw new UnusableSchema()
  const firstNodes = (first ?? []).map((one: Json) => findNode(one, document))
  const otherNode = others === undefined ? undefined : findNode(others, document)
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
  readonly at: ValuePlace | undefined
  readonly end: number
  readonly nodeAt: (index: number) => SchemaNode | undefined
}

/** A plain loop for speed: most checked values are items. */
function checkItems(run: SchemaRun, list: readonly Json[], { at, end, nodeAt }: Items): boolean {
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
  run: SchemaRun,
  node: SchemaNode,
  list: readonly Json[],
  at: ValuePlace & { readonly key: number },
): boolean {
  return node.fits(run, list[at.key] ?? null, at, undefined)
}

function buildContains(schema: JsonObject, document: SchemaDocument): SchemaCheck | undefined {
  const { contains, maxContains, minContains } = schema
  if (contains === undefined) return undefined
  const node = findNode(contains, document)
  const least = typeof minContains === 'number' ? minContains : 1
  const most = typeof maxContains === 'number' ? maxContains : Number.POSITIVE_INFINITY
  return (run, value, at, evaluated) => {
    const list = asList(value)
    const before = run.unknowns
    const count = countFitting(run, node, list, evaluated)
    if (count >= least && (count <= most || !isSure(run, before))) return true
    if (count > most) return noteMisfit(run, at, 'maxContains', maxContains)
    if (minContains !== undefined) return noteMisfit(run, at, 'minContains', minContains)
    noteMisfit(run, at, 'contains', undefined)
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
  run: SchemaRun,
  node: SchemaNode,
  list: readonly Json[],
  evaluated: EvaluatedParts | undefined,
): number {
  let count = 0
  for (let index = 0; index < list.length; index += 1) {
    if (!node.fitsQuietly(run, list[index] ?? null, undefined, undefined)) continue
    count += 1
    noteItem(run, evaluated, index)
  }
  return count
}

function buildUnevaluated(schema: JsonObject, document: SchemaDocument): SchemaCheck | undefined {
  const { unevaluatedItems } = schema
  if (unevaluatedItems === undefined) return undefined
  const node = findNode(unevaluatedItems, document)
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

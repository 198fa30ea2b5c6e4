/**
 * A parsed YAML document whose values stay as they were written: names that stand twice are found, and numbers that
 * JavaScript would change become marked texts (core/json/exact-numbers.ts). Loaded late, with yaml-document.ts alone.
 */
import {
  type Document,
  isNode,
  isPair,
  isScalar,
  type Node,
  type ParsedNode,
  visit,
  type YAMLMap,
} from 'yaml'
import { survives } from '../../core/json/changed-numbers.ts'
import { exactNumber } from '../../core/json/exact-numbers.ts'
import { jsonPointer } from '../../core/json/json-pointer.ts'

/** `pointer` leads to the name itself. `offset`: where it stands the second time. */
export type RepeatedKey = { readonly pointer: string; readonly offset: number }

/** Changes numbers in place; the first name that one mapping has twice, and where it starts in the text. */
export function keepExact(document: Document<ParsedNode>): RepeatedKey | undefined {
  let found: RepeatedKey | undefined
  visit(document, {
    Scalar: (_, node) => {
      const { source, value } = node
      if (typeof value === 'number' && source !== undefined && !isKept(source, value)) {
        node.value = exactNumber(source)
      }
    },
    Map: (_, map, path) => {
      const twice = repeatedIn(map)
      if (twice === undefined) return undefined
      const pointer = jsonPointer([...namesIn(path, map), twice.name])
      found = { offset: twice.offset, pointer }
      return visit.BREAK
    },
  } as Parameters<typeof visit>[1])
  return found
}

/** `200` and `'200'` are one name in JSON. */
function repeatedIn({
  items,
}: YAMLMap): { readonly name: string; readonly offset: number } | undefined {
  const names = new Set<string>()
  for (const { key } of items) {
    if (!isScalar(key)) continue
    const name = String(key.value)
    if (names.has(name)) return { name, offset: key.range?.[0] ?? 0 }
    names.add(name)
  }
  return undefined
}

/** The names and positions that lead to the mapping. */
function namesIn(path: readonly unknown[], map: Node): readonly (string | number)[] {
  const all = [...path, map]
  return all.flatMap((one, index): (string | number)[] => {
    if (isPair(one)) return [isScalar(one.key) ? String(one.key.value) : '']
    const inner: unknown = all[index + 1]
    const isItem = typeof one === 'object' && one !== null && 'items' in one && isNode(inner)
    return isItem && Array.isArray(one.items) ? [one.items.indexOf(inner)] : []
  })
}

/** Decimal numbers as JSON writes them; YAML also has 0x and 0o, a sign +, `.5`, `.inf` and `.nan`. */
function isKept(source: string, value: number): boolean {
  if (!Number.isFinite(value)) return false
  if (/^[+-]?0[xo]/i.test(source)) return Number.isSafeInteger(value)
  return survives(source.replace(/^\+/, ''))
}

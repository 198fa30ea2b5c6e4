/**
 * Keeps the values of a parsed YAML document as they were written: it finds repeated names, and makes
 * numbers that JavaScript would change marked texts (core/json/exact-numbers.ts). Only yaml-document.ts
 * imports this file, and both are loaded late.
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

/** `pointer` names the repeated member. `offset`: where its name is in the text the second time. */
export type RepeatedKey = { readonly pointer: string; readonly offset: number }

/** Changes numbers in place. Returns the first name that a mapping has twice. */
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
      const twice = findRepeated(map)
      if (twice === undefined) return undefined
      const pointer = jsonPointer([...listPath(path, map), twice.name])
      found = { offset: twice.offset, pointer }
      return visit.BREAK
    },
  } as Parameters<typeof visit>[1])
  return found
}

/** `200` and `'200'` are one name in JSON. */
function findRepeated({
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

/** The names and indexes of the path to the mapping. */
function listPath(path: readonly unknown[], map: Node): readonly (string | number)[] {
  const all = [...path, map]
  return all.flatMap((one, index): (string | number)[] => {
    if (isPair(one)) return [isScalar(one.key) ? String(one.key.value) : '']
    const inner: unknown = all[index + 1]
    const isItem = typeof one === 'object' && one !== null && 'items' in one && isNode(inner)
    return isItem && Array.isArray(one.items) ? [one.items.indexOf(inner)] : []
  })
}

/** True if JavaScript keeps the number; YAML also has 0x and 0o, a sign +, `.5`, `.inf` and `.nan`. */
function isKept(source: string, value: number): boolean {
  if (!Number.isFinite(value)) return false
  if (/^[+-]?0[xo]/i.test(source)) return Number.isSafeInteger(value)
  return survives(source.replace(/^\+/, ''))
}

/**
 * How long a YAML text would be with its aliases written out, before any is: an alias of aliases is a small text of
 * any size. Part of the parser that is loaded late.
 */
import { isAlias, isCollection, isPair, isScalar } from 'yaml'

/** Characters; infinite where an alias names what it stands in. Recurses as the library does. */
export function lengthWithoutAliases(text: string, root: unknown): number {
  return text.length + addedBelow(root, { lengths: new Map(), open: new Set() })
}

/** Of each anchor so far: its length without aliases, or that its end is not reached yet. */
type Anchors = { readonly lengths: Map<string, number>; readonly open: Set<string> }

/** What the aliases below the node add. */
function addedBelow(node: unknown, anchors: Anchors): number {
  const { lengths, open } = anchors
  if (isAlias(node)) {
    return open.has(node.source) ? Number.POSITIVE_INFINITY : (lengths.get(node.source) ?? 0)
  }
  if (isPair(node)) return addedBelow(node.key, anchors) + addedBelow(node.value, anchors)
  if (!isCollection(node) && !isScalar(node)) return 0
  const { anchor, range } = node
  if (anchor !== undefined) open.add(anchor)
  const items: readonly unknown[] = isCollection(node) ? node.items : []
  const added = items.reduce<number>((sum, item) => sum + addedBelow(item, anchors), 0)
  if (anchor !== undefined) {
    open.delete(anchor)
    lengths.set(anchor, added + (range == null ? 0 : range[1] - range[0]))
  }
  return added
}

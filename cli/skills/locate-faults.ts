/**
 * Finds the line and column of a fault in the text that was sent. Only JSON has such places; the
 * gateway names the lines of a Markdown skill itself.
 */
import { type Node, parseTree } from 'jsonc-parser'
import { type TextPlace, toTextPlace } from '../../core/json/json-fault.ts'

/** A fault as the gateway sends it. `pointer` is a JSON Pointer into what was sent. */
export type FieldFault = { readonly pointer: string; readonly message: string }

export type LocatedFault = FieldFault & Partial<TextPlace>

/**
 * Adds the place of each fault. `base` is the pointer to the value that the pointers of the faults
 * start at. The fault of a missing member gets the place of the object that lacks it.
 */
export function locateFaults(
  faults: readonly FieldFault[],
  text: string,
  base = '',
): readonly LocatedFault[] {
  const root = faults.length === 0 ? undefined : parseJsonText(text)
  if (root === undefined) return faults
  return faults.map((fault) => {
    const { offset } = findNearestNode(root, base + fault.pointer)
    return { ...fault, ...toTextPlace(text, offset) }
  })
}

/**
 * Returns the pointer to one skill of a text with several, or of a text that is the answer of a
 * GET. `index` is undefined if the text has one skill.
 */
export function findSkillPointer(text: string, index?: number): string {
  const root = parseJsonText(text)
  if (root === undefined) return ''
  const list = root.type === 'array' ? '' : '/skills'
  const item = index === undefined ? '' : `${list}/${index}`
  const isDefinition = findChild(findNearestNode(root, item), 'config') !== undefined
  const isView = !isDefinition && findChild(findNearestNode(root, item), 'skill') !== undefined
  return isView ? `${item}/skill` : item
}

/** Returns undefined for Markdown. */
function parseJsonText(text: string): Node | undefined {
  return /^\s*[[{/]/.test(text) ? parseTree(text, [], { allowTrailingComma: true }) : undefined
}

/** Returns the node at the pointer, or at the longest part of the pointer that exists. */
function findNearestNode(root: Node, pointer: string): Node {
  let node = root
  for (const part of pointer.split('/').slice(1)) {
    const child = findChild(node, part.replaceAll('~1', '/').replaceAll('~0', '~'))
    if (child === undefined) return node
    node = child
  }
  return node
}

function findChild({ children = [], type }: Node, part: string): Node | undefined {
  if (type === 'array') return /^\d+$/.test(part) ? children[Number(part)] : undefined
  return children.find(({ children: [name] = [] }) => name?.value === part)?.children?.[1]
}

/**
 * Reads the value of a YAML document (1.2, core schema, merges). Tags are refused, and so are
 * aliases that are many or long. The length of the text without aliases is counted before any alias
 * is resolved, because an alias of aliases can make a small text huge. Repeated names are found,
 * and numbers that JavaScript would change become marked texts (core/json/exact-numbers.ts). This
 * file is loaded late; it imports the library statically, because in a bundle `import('yaml')` has
 * only a default export.
 */
import {
  type Document,
  isAlias,
  isCollection,
  isNode,
  isPair,
  isScalar,
  LineCounter,
  type Node,
  type ParsedNode,
  parseDocument,
  visit,
  type YAMLMap,
} from 'yaml'
import { ok, type Result, refuse } from '../../core/errors.ts'
import { isExactAsDouble } from '../../core/json/changed-numbers.ts'
import { toExactNumber } from '../../core/json/exact-numbers.ts'
import { toJsonPointer } from '../../core/json/json-pointer.ts'
import { countBytes } from '../../core/json/text-bytes.ts'

/** How often aliases may repeat their anchors: real documents do so a few times. */
const ALIASES_MAX = 100

/** The library's value, which the caller turns into JSON. No text makes it throw. */
export function readYamlValue(text: string, bytesMax: number): Result<unknown> {
  if (countBytes(text) > bytesMax) return refuseTooLong(bytesMax)
  const lineCounter = new LineCounter()
  try {
    const document = parseDocument(text, {
      version: '1.2',
      schema: 'core',
      merge: true,
      resolveKnownTags: false,
      uniqueKeys: false,
      prettyErrors: false,
      logLevel: 'silent',
      lineCounter,
    })
    const [wrong] = document.errors
    if (wrong !== undefined) {
      return refuseYaml(`line ${lineCounter.linePos(wrong.pos[0]).line}: ${wrong.code}`)
    }
    const length = countLength(text, document.contents)
    if (length === Number.POSITIVE_INFINITY) return refuseYaml('an alias names what it stands in')
    if (length > bytesMax) return refuseTooLong(bytesMax)
    const twice = keepExactValues(document)
    if (twice !== undefined) {
      return refuseRepeated(twice.pointer, lineCounter.linePos(twice.offset).line)
    }
    return ok(document.toJS({ maxAliasCount: ALIASES_MAX }))
  } catch (cause) {
    if (cause instanceof RangeError) return refuseYaml('it nests too deep')
    if (cause instanceof ReferenceError)
      return refuseYaml(`it has too many aliases (${ALIASES_MAX})`)
    throw cause
  }
}

function refuseTooLong(bytesMax: number): Result<never> {
  return refuse(
    'too_large',
    `document: is over ${bytesMax} bytes with its aliases written out; send a part of it.`,
  )
}

function refuseRepeated(pointer: string, line: number): Result<never> {
  const where = `document at ${pointer} (line ${line})`
  return refuse('malformed', `${where}: the name is given twice in one object; send it once`)
}

function refuseYaml(why: string): Result<never> {
  return refuse('malformed', `document: is neither JSON nor YAML that can be read: ${why}.`)
}

/**
 * In characters; infinite if an alias names a node that contains it. Recurses as the library does.
 */
function countLength(text: string, root: unknown): number {
  return text.length + countAdded(root, { lengths: new Map(), open: new Set() })
}

/**
 * `lengths`: of each finished anchor without aliases. `open`: anchors that are not finished yet.
 */
type Anchors = { readonly lengths: Map<string, number>; readonly open: Set<string> }

/** The characters that the aliases below the node add. */
function countAdded(node: unknown, anchors: Anchors): number {
  const { lengths, open } = anchors
  if (isAlias(node)) {
    return open.has(node.source) ? Number.POSITIVE_INFINITY : (lengths.get(node.source) ?? 0)
  }
  if (isPair(node)) return countAdded(node.key, anchors) + countAdded(node.value, anchors)
  if (!isCollection(node) && !isScalar(node)) return 0
  const { anchor, range } = node
  if (anchor !== undefined) open.add(anchor)
  const items: readonly unknown[] = isCollection(node) ? node.items : []
  const added = items.reduce<number>((sum, item) => sum + countAdded(item, anchors), 0)
  if (anchor !== undefined) {
    open.delete(anchor)
    lengths.set(anchor, added + (range == null ? 0 : range[1] - range[0]))
  }
  return added
}

/** `pointer` names the repeated member. `offset`: where its name is in the text the second time. */
type RepeatedKey = { readonly pointer: string; readonly offset: number }

/** Changes numbers in place. Returns the first name that a mapping has twice. */
function keepExactValues(document: Document<ParsedNode>): RepeatedKey | undefined {
  let found: RepeatedKey | undefined
  visit(document, {
    Scalar: (_, node) => {
      const { source, value } = node
      if (typeof value === 'number' && source !== undefined && !isKept(source, value)) {
        node.value = toExactNumber(source)
      }
    },
    Map: (_, map, path) => {
      const twice = findRepeated(map)
      if (twice === undefined) return undefined
      const pointer = toJsonPointer([...listPath(path, map), twice.name])
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

/**
 * True if JavaScript keeps the number; YAML also has 0x and 0o, a sign +, `.5`, `.inf` and `.nan`.
 */
function isKept(source: string, value: number): boolean {
  if (!Number.isFinite(value)) return false
  if (/^[+-]?0[xo]/i.test(source)) return Number.isSafeInteger(value)
  return isExactAsDouble(source.replace(/^\+/, ''))
}

/**
 * Reads the value of a YAML document (1.2, core schema, merges). Tags are refused, and so are aliases that
 * are many or long. The length of the text without aliases is counted before any alias is resolved, because
 * an alias of aliases can make a small text huge. This file and yaml-exact.ts are loaded late; they import
 * the library statically, because in a bundle `import('yaml')` has only a default export.
 */
import { isAlias, isCollection, isPair, isScalar, LineCounter, parseDocument } from 'yaml'
import { ok, type Result, refuse } from '../../core/errors.ts'
import { bytesOf } from '../../core/json/text-bytes.ts'
import { keepExact } from './yaml-exact.ts'

/** How often aliases may repeat their anchors: real documents do so a few times. */
const ALIASES_MAX = 100

/** The library's value, which the caller turns into JSON. No text makes it throw. */
export function yamlValue(text: string, bytesMax: number): Result<unknown> {
  if (bytesOf(text) > bytesMax) return refuseTooLong(bytesMax)
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
    const twice = keepExact(document)
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

/** In characters; infinite if an alias names a node that contains it. Recurses as the library does. */
function countLength(text: string, root: unknown): number {
  return text.length + countAdded(root, { lengths: new Map(), open: new Set() })
}

/** `lengths`: of each finished anchor without aliases. `open`: anchors that are not finished yet. */
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

/**
 * The value of a YAML document (1.2, core schema, merges). Refuses tags, and aliases that are many or long: how long the
 * text would be without them is counted before any is written out, because an alias of aliases is a small text of any
 * size. Loaded late, by this file and yaml-exact.ts alone: a bundle gives `import('yaml')` its default export only.
 */
import { isAlias, isCollection, isPair, isScalar, LineCounter, parseDocument } from 'yaml'
import { ok, type Result, refuse } from '../../core/errors.ts'
import { bytesOf } from '../../core/json/text-bytes.ts'
import { keepExact } from './yaml-exact.ts'

/** How often aliases may repeat what they name: real documents have a handful. */
const ALIASES_MAX = 100

/** What the library makes of the text; the caller makes JSON of it. Never throws because of the text. */
export function yamlValue(text: string, bytesMax: number): Result<unknown> {
  if (bytesOf(text) > bytesMax) return tooLong(bytesMax)
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
      return notYaml(`line ${lineCounter.linePos(wrong.pos[0]).line}: ${wrong.code}`)
    }
    const length = lengthWithoutAliases(text, document.contents)
    if (length === Number.POSITIVE_INFINITY) return notYaml('an alias names what it stands in')
    if (length > bytesMax) return tooLong(bytesMax)
    const twice = keepExact(document)
    if (twice !== undefined) {
      return givenTwice(twice.pointer, lineCounter.linePos(twice.offset).line)
    }
    return ok(document.toJS({ maxAliasCount: ALIASES_MAX }))
  } catch (cause) {
    if (cause instanceof RangeError) return notYaml('it nests too deep')
    if (cause instanceof ReferenceError) return notYaml(`it has too many aliases (${ALIASES_MAX})`)
    throw cause
  }
}

function tooLong(bytesMax: number): Result<never> {
  return refuse(
    'too_large',
    `document: is over ${bytesMax} bytes with its aliases written out; send a part of it.`,
  )
}

function givenTwice(pointer: string, line: number): Result<never> {
  const where = `document at ${pointer} (line ${line})`
  return refuse('malformed', `${where}: the name is given twice in one object; send it once`)
}

function notYaml(why: string): Result<never> {
  return refuse('malformed', `document: is neither JSON nor YAML that can be read: ${why}.`)
}

/** Characters; infinite where an alias names what it stands in. Recurses as the library does. */
function lengthWithoutAliases(text: string, root: unknown): number {
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

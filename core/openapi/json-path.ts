/**
 * The subset of JSONPath (RFC 9535) for overlays: names, indexes, wildcards, descendants, and
 * filters that compare one member with a literal or test whether it exists.
 */
import { isExactAsDouble } from '../json/changed-numbers.ts'
import { toExactNumber } from '../json/exact-numbers.ts'
import { isJsonObject, type Json } from '../json/json.ts'

type Filter = {
  readonly path: readonly string[]
  readonly equals: Json | undefined
  readonly not: boolean
}
type Selector =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'wildcard' }
  | { readonly kind: 'filter'; readonly filter: Filter }
type Segment = { readonly deep: boolean; readonly selectors: readonly Selector[] }
export type JsonPath = readonly Segment[]

/** Characters of one expression. */
const PATH_CHARS_MAX = 500
const NAME = /^[A-Za-z_\u0080-\uFFFF][\w\u0080-\uFFFF-]*/
const BRACKET =
  /^\[\s*(?:(\*)|(\d{1,9})|'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|\?\s*\(?\s*@((?:\.[\w-]+|\['[^'\\]*'\])+)\s*(?:(==|!=)\s*('[^'\\]*'|"[^"\\]*"|true|false|null|-?\d+(?:\.\d+)?)\s*)?\)?)\s*\]/

/** Returns undefined for an expression outside this subset. */
export function parseJsonPath(text: string): JsonPath | undefined {
  if (text.length > PATH_CHARS_MAX || !text.startsWith('$')) return undefined
  const segments: Segment[] = []
  let rest = text.slice(1).trim()
  while (rest !== '') {
    const deep = rest.startsWith('..')
    if (deep) rest = rest.slice(2)
    else if (rest.startsWith('.')) rest = rest.slice(1)
    else if (!rest.startsWith('[')) return undefined
    const read = readSelector(rest)
    if (read === undefined) return undefined
    segments.push({ deep, selectors: [read.selector] })
    rest = rest.slice(read.length)
  }
  return segments
}

function readSelector(
  text: string,
): { readonly selector: Selector; readonly length: number } | undefined {
  if (text.startsWith('*')) return { selector: { kind: 'wildcard' }, length: 1 }
  const name = NAME.exec(text)?.[0]
  if (name !== undefined) return { selector: { kind: 'name', name }, length: name.length }
  const match = BRACKET.exec(text)
  if (match === null) return undefined
  const [{ length }, star, index, single, double, path, operator, literal] = match
  if (star !== undefined) return { selector: { kind: 'wildcard' }, length }
  if (index !== undefined) return { selector: { kind: 'index', index: Number(index) }, length }
  const quoted = single ?? double
  if (quoted !== undefined) {
    return { selector: { kind: 'name', name: quoted.replace(/\\(.)/g, '$1') }, length }
  }
  const names = [...(path ?? '').matchAll(/\.([\w-]+)|\['([^']*)'\]/g)].map(
    ([, a, b]) => a ?? b ?? '',
  )
  const filter = { path: names, equals: parseLiteral(literal), not: operator === '!=' }
  return { selector: { kind: 'filter', filter }, length }
}

function parseLiteral(text: string | undefined): Json | undefined {
  if (text === undefined) return undefined
  if (/^['"]/.test(text)) return text.slice(1, -1)
  if (text === 'true' || text === 'false') return text === 'true'
  if (text === 'null') return null
  return isExactAsDouble(text) ? Number(text) : toExactNumber(text)
}

/** A place in a value. Each place has exactly one object, so that a Set has no duplicates. */
export type Place = {
  readonly value: Json
  readonly key: string | number
  readonly above: Place | undefined
  /** Made when a segment first needs them. */
  children: readonly Place[] | undefined
}

/**
 * Returns the places that match the path, each once, in the order of the document; undefined for
 * more than `placesMax`. Calls `spend` for each visited place, which may throw.
 */
export function findPlaces(
  value: Json,
  path: JsonPath,
  placesMax: number,
  spend: (steps: number) => void,
): readonly Place[] | undefined {
  let found: Iterable<Place> = [{ value, key: '', above: undefined, children: undefined }]
  for (const { deep, selectors } of path) {
    const from = deep ? withDescendants(found, spend) : found
    const isNamed = ({ key, value: child }: Place) =>
      selectors.some((selector) => selects(selector, key, child))
    const next = new Set<Place>()
    for (const place of from) {
      for (const child of listChildren(place, spend).filter(isNamed)) next.add(child)
    }
    if (next.size > placesMax) return undefined
    found = next
  }
  return [...found]
}

function listChildren(place: Place, spend: (steps: number) => void): readonly Place[] {
  place.children ??= listEntries(place.value).map(([key, value]) => ({
    value,
    key,
    above: place,
    children: undefined,
  }))
  spend(STEPS_PER_PLACE * (place.children.length + 1))
  return place.children
}

/** A place costs more than a visited value. */
const STEPS_PER_PLACE = 4

function listEntries(value: Json): readonly (readonly [string | number, Json])[] {
  if (Array.isArray(value)) return value.map((item: Json, index) => [index, item])
  return isJsonObject(value) ? Object.entries(value) : []
}

/** Returns the places and all objects and arrays below them, each once. */
function withDescendants(places: Iterable<Place>, spend: (steps: number) => void): Set<Place> {
  const found = new Set<Place>()
  for (const start of places) {
    const stack = [start]
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      if (found.has(at)) continue
      found.add(at)
      const inside = listChildren(at, spend).filter(({ value }) => isContainer(value))
      for (const child of inside.toReversed()) stack.push(child)
    }
  }
  return found
}

function isContainer(value: Json): boolean {
  return typeof value === 'object' && value !== null
}

function selects(selector: Selector, key: string | number, child: Json): boolean {
  switch (selector.kind) {
    case 'name':
      return key === selector.name
    case 'index':
      return key === selector.index
    case 'wildcard':
      return true
    case 'filter':
      return passesFilter(selector.filter, child)
    default:
      return selector satisfies never
  }
}

function passesFilter({ equals, not, path }: Filter, child: Json): boolean {
  let at: Json | undefined = child
  for (const name of path) {
    at = isJsonObject(at) && Object.hasOwn(at, name) ? at[name] : undefined
  }
  if (equals === undefined) return at !== undefined
  return (at === equals) !== not
}

/**
 * The part of JSONPath (RFC 9535) that overlays use: names, positions, wildcards, descendants, and
 * filters that compare one member with a literal or ask whether it is there.
 */
import { survives } from '../json/changed-numbers.ts'
import { exactNumber } from '../json/exact-numbers.ts'
import { isJsonObject, type Json } from '../json/json.ts'

export type Path = readonly (string | number)[]

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

/** Undefined for an expression outside that part. */
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
  const filter = { path: names, equals: literalOf(literal), not: operator === '!=' }
  return { selector: { kind: 'filter', filter }, length }
}

function literalOf(text: string | undefined): Json | undefined {
  if (text === undefined) return undefined
  if (/^['"]/.test(text)) return text.slice(1, -1)
  if (text === 'true' || text === 'false') return text === 'true'
  if (text === 'null') return null
  return survives(text) ? Number(text) : exactNumber(text)
}

/** The places that the path names, in the order of the document; undefined past `placesMax`. */
export function pathsAt(
  value: Json,
  path: JsonPath,
  placesMax: number,
): readonly Path[] | undefined {
  let found: readonly { readonly at: Path; readonly value: Json }[] = [{ at: [], value }]
  for (const { deep, selectors } of path) {
    const from = deep ? found.flatMap((one) => descendants(one.at, one.value)) : found
    found = from.flatMap((one) =>
      selectors.flatMap((selector) =>
        childrenOf(one.value)
          .filter(([key, child]) => selects(selector, key, child))
          .map(([key, child]) => ({ at: [...one.at, key], value: child })),
      ),
    )
    if (found.length > placesMax) return undefined
  }
  return found.map(({ at }) => at)
}

type Child = readonly [key: string | number, value: Json]

function childrenOf(value: Json): readonly Child[] {
  if (Array.isArray(value)) return value.map((item: Json, index) => [index, item])
  return isJsonObject(value) ? Object.entries(value) : []
}

function descendants(
  at: Path,
  value: Json,
): readonly { readonly at: Path; readonly value: Json }[] {
  return [
    { at, value },
    ...childrenOf(value).flatMap(([key, child]) =>
      typeof child === 'object' && child !== null ? descendants([...at, key], child) : [],
    ),
  ]
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
      return passes(selector.filter, child)
    default:
      return selector satisfies never
  }
}

function passes({ equals, not, path }: Filter, child: Json): boolean {
  let at: Json | undefined = child
  for (const name of path) {
    at = isJsonObject(at) && Object.hasOwn(at, name) ? at[name] : undefined
  }
  if (equals === undefined) return at !== undefined
  return (at === equals) !== not
}

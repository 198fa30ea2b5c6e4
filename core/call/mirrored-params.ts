/**
 * `x-mcp-header`: arguments that a client mirrors into `Mcp-Param-*` headers, so that what stands
 * between can route by them; whoever reads the body must see that both say the same. Which
 * parameters are annotated is found once a schema; judging a call touches those alone. Sync has
 * judged whether an annotation is a good one. Bound by MCP 2026-07-28, server/tools, x-mcp-header.
 */
import { decodeHeaderText } from '../json/header-text.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'

const ANNOTATION = 'x-mcp-header'

export type MirroredParam = {
  readonly path: readonly string[]
  /** Lower-case, without `Mcp-Param-`. */
  readonly header: string
}

/** By the schema itself, so that nothing here keeps one alive. */
const known = new WeakMap<JsonObject, readonly MirroredParam[]>()

/** Reachable through `properties` alone: under anything else an annotation says nothing. */
export function mirroredParams(parameters: JsonObject): readonly MirroredParam[] {
  const before = known.get(parameters)
  if (before !== undefined) return before
  const found = paramsIn(parameters, [])
  known.set(parameters, found)
  return found
}

function paramsIn(schema: JsonObject, path: readonly string[]): readonly MirroredParam[] {
  const properties = schema['properties']
  if (!isJsonObject(properties)) return []
  return Object.entries(properties).flatMap(([name, property]) => {
    if (!isJsonObject(property)) return []
    const at = [...path, name]
    const header = property[ANNOTATION]
    const own = typeof header === 'string' ? [{ path: at, header: header.toLowerCase() }] : []
    return [...own, ...paramsIn(property, at)]
  })
}

/** What is wrong with the first header that does not mirror its argument; no value is repeated. */
export function mirrorFault(
  params: readonly MirroredParam[],
  args: JsonObject,
  headers: { readonly [name: string]: string },
): string | undefined {
  for (const { header, path } of params) {
    const sent = Object.hasOwn(headers, header) ? headers[header] : undefined
    const wrong = faultOf(valueAt(args, path), sent)
    if (wrong !== undefined) return `Mcp-Param-${header}: ${wrong} (${path.join('.')}).`
  }
  return undefined
}

function faultOf(value: Json, sent: string | undefined): string | undefined {
  if (value === null) {
    // Something between could route by what the call itself does not say.
    return sent === undefined ? undefined : 'was sent, and its argument was not'
  }
  if (sent === undefined) return 'is missing, and its argument was sent'
  const text = decodeHeaderText(sent)
  if (text === undefined) return 'is neither visible ASCII nor well-formed base64'
  return mirrors(value, text) ? undefined : 'says something else than its argument'
}

const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/

function mirrors(value: Json, text: string): boolean {
  if (typeof value === 'string') return value === text
  if (typeof value === 'boolean') return String(value) === text
  return typeof value === 'number' && NUMBER.test(text) && Number(text) === value
}

/** Null where there is none: both mean that no header is expected. */
function valueAt(args: JsonObject, path: readonly string[]): Json {
  let at: Json = args
  for (const name of path) {
    if (!isJsonObject(at) || !Object.hasOwn(at, name)) return null
    at = at[name] ?? null
  }
  return at
}

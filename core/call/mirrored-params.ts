/**
 * `x-mcp-header`: arguments that a client repeats in `Mcp-Param-*` headers, so that proxies can
 * route by them. The server must check that header and argument agree. A sync has already checked
 * the annotations themselves. Between the gateway's functions, one header contains all of these
 * headers. Bound by MCP 2026-07-28, server/tools, x-mcp-header.
 */
import { decodeHeaderText, encodeHeaderText } from '../json/header-text.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { parseText } from '../json/parse-json.ts'
import type { CallTerms } from './execute.ts'
import { PARAM_HEADERS_CHARS_MAX, PARAM_HEADERS_MAX } from './limits.ts'

const ANNOTATION = 'x-mcp-header'

export type MirroredParam = {
  readonly path: readonly string[]
  /** Lower-case, without `Mcp-Param-`. */
  readonly header: string
}

/** One result per schema. The keys are weak, so that the cache keeps no schema in memory. */
const cache = new WeakMap<JsonObject, readonly MirroredParam[]>()

/** Finds annotated parameters. Follows only `properties`: MCP ignores annotations elsewhere. */
export function findMirroredParams(parameters: JsonObject): readonly MirroredParam[] {
  const cached = cache.get(parameters)
  if (cached !== undefined) return cached
  const found = findParams(parameters, [])
  cache.set(parameters, found)
  return found
}

function findParams(schema: JsonObject, path: readonly string[]): readonly MirroredParam[] {
  const properties = schema['properties']
  if (!isJsonObject(properties)) return []
  return Object.entries(properties).flatMap(([name, property]) => {
    if (!isJsonObject(property)) return []
    const at = [...path, name]
    const header = property[ANNOTATION]
    const own = typeof header === 'string' ? [{ path: at, header: header.toLowerCase() }] : []
    return [...own, ...findParams(property, at)]
  })
}

/**
 * Explains the first header that does not equal its argument, without a value; undefined if all
 * headers are right.
 */
export function checkMirroredParams(
  params: readonly MirroredParam[],
  args: JsonObject,
  headers: { readonly [name: string]: string },
): string | undefined {
  for (const { header, path } of params) {
    const sent = Object.hasOwn(headers, header) ? headers[header] : undefined
    const wrong = compare(readArgument(args, path), sent)
    if (wrong !== undefined) return `Mcp-Param-${header}: ${wrong} (${path.join('.')}).`
  }
  return undefined
}

function compare(value: Json, sent: string | undefined): string | undefined {
  if (value === null) {
    // Otherwise a proxy could route by a value that the call does not have.
    return sent === undefined ? undefined : 'was sent without its argument'
  }
  if (sent === undefined) return 'is missing, although its argument was sent'
  const text = decodeHeaderText(sent)
  if (text === undefined) return 'is neither visible ASCII nor well-formed base64'
  return mirrors(value, text) ? undefined : 'differs from its argument'
}

const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/

function mirrors(value: Json, text: string): boolean {
  if (typeof value === 'string') return value === text
  if (typeof value === 'boolean') return String(value) === text
  return typeof value === 'number' && NUMBER.test(text) && Number(text) === value
}

/** Returns null for an absent argument, too: neither null nor absence expects a header. */
function readArgument(args: JsonObject, path: readonly string[]): Json {
  let at: Json = args
  for (const name of path) {
    if (!isJsonObject(at) || !Object.hasOwn(at, name)) return null
    at = at[name] ?? null
  }
  return at
}

/** Writes the headers that a server expects beside these arguments, by their whole names. */
export function writeMirroredParams(
  params: readonly MirroredParam[],
  args: JsonObject,
): { readonly [name: string]: string } {
  const pairs = params.flatMap(({ header, path }) => {
    const value = readArgument(args, path)
    const isScalar =
      typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    return isScalar ? [[`mcp-param-${header}`, encodeHeaderText(String(value))] as const] : []
  })
  return Object.fromEntries(pairs)
}

/** The header for an agent's `Mcp-Param-*` headers between the gateway's functions. */
export const PARAM_HEADERS_HEADER = 'x-skillgate-param-headers'

type ParamHeaders = NonNullable<CallTerms['paramHeaders']>

const NO_PARAM_HEADERS: ParamHeaders = {}
const NONE_WRITTEN = '{}'

/** Writes percent-encoded JSON: headers accept only visible ASCII, and base64 would be longer. */
export function writeParamHeaders(headers: ParamHeaders): string {
  return Object.keys(headers).length === 0 ? NONE_WRITTEN : encodeURI(JSON.stringify(headers))
}

/** Tells the agent why its headers cannot be forwarded; undefined if they can. */
export function checkParamHeaders(headers: ReadonlyMap<string, string>): string | undefined {
  if (headers.size > PARAM_HEADERS_MAX) {
    return `Mcp-Param-*: are more than ${PARAM_HEADERS_MAX} headers; send only those that the tool names`
  }
  const text = writeParamHeaders(Object.fromEntries(headers))
  if (text.length > PARAM_HEADERS_CHARS_MAX) {
    return `Mcp-Param-*: are over ${PARAM_HEADERS_CHARS_MAX} characters in all, percent-encoded; shorten the arguments that they mirror`
  }
  if (readParamHeaders(text) !== undefined) return undefined
  return 'Mcp-Param-*: one cannot be read; send ASCII, or =?base64?…?= of UTF-8'
}

/** Returns undefined for malformed text. Most calls send `{}`. */
export function readParamHeaders(text: string): ParamHeaders | undefined {
  if (text === NONE_WRITTEN) return NO_PARAM_HEADERS
  if (text.length > PARAM_HEADERS_CHARS_MAX) return undefined
  const parsed = parseText(decodePercent(text), { subject: PARAM_HEADERS_HEADER })
  if (!parsed.ok || !isJsonObject(parsed.value)) return undefined
  const entries = Object.entries(parsed.value)
  if (entries.length > PARAM_HEADERS_MAX) return undefined
  const texts = entries.flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  )
  return texts.length === entries.length ? Object.fromEntries(texts) : undefined
}

/** Returns '' for text that is not percent-encoded UTF-8. */
export function decodePercent(text: string): string {
  try {
    return decodeURI(text)
  } catch {
    // '' is not JSON, so a reader of JSON refuses it.
    return ''
  }
}

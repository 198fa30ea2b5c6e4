/**
 * The secret by which a request proves that it came through the edge: the distribution adds a header
 * to each request for an origin, with one of the values that the doors accept. Bound by docs/edge.md
 * and ADR 0133.
 */
import { isJsonObject, type JsonObject } from '../json/json.ts'
import { parseJson } from '../json/parse-json.ts'

/** 256 bits in letters and digits, as Secrets Manager and `skillgate edge rotate` make them. */
const VALUE = /^[A-Za-z0-9]{43,128}$/

/** The values that are accepted: `previous` only while they are rotated. */
export type OriginSecret = { readonly current: string; readonly previous?: string }

/** Reads `{"current":"…","previous":"…"?}`; undefined for any other text. */
export function readOriginSecret(text: string | undefined): OriginSecret | undefined {
  const json = text === undefined ? undefined : parseJson(text)
  if (!json?.ok || !isJsonObject(json.value)) return undefined
  const current = readValue(json.value, 'current')
  if (current === undefined) return undefined
  if (json.value['previous'] === undefined) return { current }
  const previous = readValue(json.value, 'previous')
  return previous === undefined ? undefined : { current, previous }
}

function readValue(fields: JsonObject, name: string): string | undefined {
  const value = fields[name]
  return typeof value === 'string' && VALUE.test(value) ? value : undefined
}

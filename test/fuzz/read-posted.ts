/**
 * Reads a posted message without the gateway's own code: JSON.parse, and the original text of each
 * number, so that an id can be compared digit by digit.
 */
import type { Json, JsonObject } from '../../core/json/json.ts'
import { isJsonObject } from '../../core/json/json.ts'
import { VERSION_META } from '../../core/mcp/modern-envelope.ts'
import type { OddRequest } from './odd-requests.ts'

export type PostedItem = {
  readonly value: Json
  /** In the form of {@link idIn}; undefined: no id, or none that may be used. */
  readonly id: string | undefined
  readonly kind: 'request' | 'notification' | 'response' | 'none'
  readonly isModern: boolean
}

export type PostedBody =
  | { readonly kind: 'no-json' }
  /** `isDeep`: refused unread, so that no reply needs its id. */
  | { readonly kind: 'one'; readonly item: PostedItem; readonly isDeep: boolean }
  | { readonly kind: 'batch'; readonly items: readonly PostedItem[] }

const ID_CHARS_MAX = 256
const ID_DIGITS_MAX = 64

export function readPosted({ body = '', isBase64 }: OddRequest): PostedBody {
  const text = textOf(Buffer.from(body, isBase64 ? 'base64' : 'utf8'))
  const read = text === undefined ? undefined : withSources(text)
  if (read === undefined) return { kind: 'no-json' }
  const { sourceOf, value } = read
  const itemOf = (one: Json) => itemFrom(one, isJsonObject(one) ? sourceOf(one) : undefined)
  return Array.isArray(value)
    ? { kind: 'batch', items: value.map(itemOf) }
    : { kind: 'one', item: itemOf(value), isDeep: depthOf(text ?? '') > DEPTH_MAX }
}

const DEPTH_MAX = 64

/** True for this member, whether or not a later member of the same name replaces it. */
function depthOf(text: string): number {
  let [depth, most] = [0, 0]
  for (const [bracket] of text.replace(/"(?:[^"\\]|\\.)*"/g, '').matchAll(/[[\]{}]/g)) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1
    most = Math.max(most, depth)
  }
  return most
}

/** The ids of replies, in the form of {@link idIn}; null for null. */
export function replyIds(values: readonly Json[], text: string): readonly (string | null)[] {
  const read = withSources(text)
  const all = Array.isArray(read?.value) ? read.value : [read?.value ?? null]
  return values.map((_, nth) => {
    const reply = all[nth]
    if (!isJsonObject(reply) || read === undefined) return null
    return idIn(reply, read.sourceOf(reply)) ?? null
  })
}

function itemFrom(value: Json, source: string | undefined): PostedItem {
  if (!isJsonObject(value)) return { value, id: undefined, kind: 'none', isModern: false }
  const { params } = value
  const meta = isJsonObject(params) ? params['_meta'] : undefined
  const isModern = isJsonObject(meta) && Object.hasOwn(meta, VERSION_META)
  const id = idIn(value, source)
  return { value, id, kind: kindOf(value, id), isModern }
}

const METHOD_CHARS_MAX = 128

/** An id of `none` gets an error as well; a notification or a response must be a complete one. */
function kindOf(value: JsonObject, usable: string | undefined): PostedItem['kind'] {
  const { id, jsonrpc, method } = value
  if (typeof method === 'string' && id !== undefined) return 'request'
  if (jsonrpc !== '2.0') return 'none'
  if (typeof method === 'string') return isNotification(value) ? 'notification' : 'none'
  return isResponse(value, usable) ? 'response' : 'none'
}

function isNotification({ method, params = null }: JsonObject): boolean {
  if (typeof method !== 'string' || typeof params !== 'object') return false
  return method !== '' && method.length <= METHOD_CHARS_MAX
}

/** An error about an unreadable message has no id. */
function isResponse({ error, id = null, method, result }: JsonObject, usable: string | undefined) {
  if (method !== undefined || (error === undefined && result === undefined)) return false
  return usable !== undefined || (error !== undefined && id === null)
}

/** For a text the JSON of its value, for a number its original digits. */
function idIn(holder: JsonObject, source: string | undefined): string | undefined {
  const { id } = holder
  if (typeof id === 'string') {
    return id.length <= ID_CHARS_MAX && id.isWellFormed() ? JSON.stringify(id) : undefined
  }
  if (typeof id !== 'number' || source === undefined) return undefined
  return source.length <= ID_DIGITS_MAX && /^-?\d+(\.0+)?$/.test(source) ? source : undefined
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

type Reviver = (this: unknown, name: string, value: Json, context?: { source?: string }) => Json

/** Undefined: not JSON. `sourceOf`: the original text of an object's own `id`. */
function withSources(text: string) {
  const sources = new WeakMap<object, string>()
  const note: Reviver = function (name, value, context) {
    const isHolder = typeof this === 'object' && this !== null
    if (name === 'id' && isHolder && context?.source !== undefined) {
      sources.set(this, context.source)
    }
    return value
  }
  try {
    const value: Json = JSON.parse(text, note)
    return { value, sourceOf: (holder: JsonObject) => sources.get(holder) }
  } catch {
    return undefined
  }
}

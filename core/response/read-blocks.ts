/**
 * Reads the content blocks of an upstream with `response.as: "mcp"`. Refuses unknown types, members
 * of a wrong kind or size, and invalid base64. Each block is rebuilt from its known members, so
 * unknown members are dropped. Bound by ContentBlock of the MCP schema.
 */
import {
  CONTENT_BLOCKS_MAX,
  LINK_TEXT_CHARS_MAX,
  MIME_TYPE_CHARS_MAX,
  RESOURCE_URI_CHARS_MAX,
} from '../call/limits.ts'
import { err, type FieldError, ok, type Result } from '../errors.ts'
import { countBase64Bytes } from '../json/base64.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { toJsonPointer } from '../json/json-pointer.ts'
import { readUpstreamUri } from '../json/upstream-uris.ts'
import type { ContentBlock } from '../mcp/content.ts'
import { parseMediaType } from './media-type.ts'

type Read<T> = Result<T, FieldError>

/**
 * Returns the blocks, or the first error with its pointer in the answer. `linksOf` is the upstream
 * whose resources may be linked, by their URIs here.
 */
export function readBlocks(
  value: Json | undefined,
  linksOf?: string | undefined,
): Read<readonly ContentBlock[]> {
  if (!Array.isArray(value)) return refuseAt('/content', 'is not an array of blocks')
  const items: readonly Json[] = value
  if (items.length > CONTENT_BLOCKS_MAX) {
    return refuseAt('/content', `has ${items.length} blocks; the limit is ${CONTENT_BLOCKS_MAX}`)
  }
  const blocks: ContentBlock[] = []
  for (const [index, item] of items.entries()) {
    const block = readBlock(item, linksOf)
    if (!block.ok) return refuseAt(`/content/${index}${block.error.pointer}`, block.error.message)
    blocks.push(block.value)
  }
  return ok(blocks)
}

function readBlock(value: Json, linksOf: string | undefined): Read<ContentBlock> {
  if (!isJsonObject(value)) return refuseAt('', 'is not an object')
  switch (value['type']) {
    case 'text': {
      const text = readText(value, 'text')
      return text.ok ? ok({ type: 'text', text: text.value }) : text
    }
    case 'image':
      return readMedia(value, 'image')
    case 'audio':
      return readMedia(value, 'audio')
    case 'resource':
      return readResource(value['resource'])
    case 'resource_link':
      return readLink(value, linksOf)
    default:
      return refuseAt('/type', 'is not one of text, image, audio, resource, resource_link')
  }
}

function readMedia(value: JsonObject, type: 'image' | 'audio'): Read<ContentBlock> {
  const data = readBase64(value, 'data')
  if (!data.ok) return data
  const mimeType = readMimeType(value)
  if (!mimeType.ok) return mimeType
  if (mimeType.value?.startsWith(`${type}/`) !== true) {
    return refuseAt('/mimeType', `is not a media type of the kind ${type}/…`)
  }
  return ok({ type, data: data.value, mimeType: mimeType.value })
}

function readResource(value: Json | undefined): Read<ContentBlock> {
  if (!isJsonObject(value)) return refuseAt('/resource', 'is not an object')
  const uri = readUri(value)
  const mimeType = readMimeType(value)
  const isText = value['text'] !== undefined
  const content = isText ? readText(value, 'text') : readBase64(value, 'blob')
  for (const part of [uri, mimeType, content]) {
    if (!part.ok) return refuseAt(`/resource${part.error.pointer}`, part.error.message)
  }
  if (!uri.ok || !mimeType.ok || !content.ok) return refuseAt('/resource', 'is not a resource')
  const about = { uri: uri.value, ...optional('mimeType', mimeType.value) }
  const body = isText ? { text: content.value } : { blob: content.value }
  return ok({ type: 'resource', resource: { ...about, ...body } })
}

/** Accepts web links, and resources that the gateway reads from the upstream itself. */
function readLink(value: JsonObject, linksOf: string | undefined): Read<ContentBlock> {
  const uri = readUri(value)
  if (!uri.ok) return uri
  const isOwn = linksOf !== undefined && readUpstreamUri(uri.value)?.id === linksOf
  const isReadable = isOwn || /^https?:\/\//i.test(uri.value)
  if (!isReadable) return refuseAt('/uri', 'is not an http or https URL')
  const mimeType = readMimeType(value)
  if (!mimeType.ok) return mimeType
  const texts: { [name: string]: string } = {}
  for (const name of ['name', 'title', 'description']) {
    if (value[name] === undefined && name !== 'name') continue
    const text = readText(value, name, LINK_TEXT_CHARS_MAX)
    if (!text.ok) return text
    texts[name] = text.value
  }
  const { name = '', ...more } = texts
  const link = { uri: uri.value, name, ...more, ...optional('mimeType', mimeType.value) }
  return ok({ type: 'resource_link', ...link })
}

function readText(value: JsonObject, name: string, unitsMax?: number): Read<string> {
  const text = value[name]
  const pointer = toJsonPointer([name])
  if (typeof text !== 'string') return refuseAt(pointer, 'is not a string')
  if (unitsMax === undefined || text.length <= unitsMax) return ok(text)
  return refuseAt(pointer, `is over ${unitsMax} characters`)
}

function readBase64(value: JsonObject, name: string): Read<string> {
  const data = value[name]
  if (typeof data === 'string' && countBase64Bytes(data) !== undefined) return ok(data)
  return refuseAt(
    toJsonPointer([name]),
    'is not base64 (RFC 4648: padded, no line breaks, not empty)',
  )
}

/** Drops parameters, because clients compare only the type. */
function readMimeType(value: JsonObject): Read<string | undefined> {
  const text = value['mimeType']
  if (text === undefined) return ok(undefined)
  const isShort = typeof text === 'string' && text.length <= MIME_TYPE_CHARS_MAX
  const parsed = isShort ? parseMediaType(text) : undefined
  return parsed === undefined
    ? refuseAt('/mimeType', `is not a media type of at most ${MIME_TYPE_CHARS_MAX} characters`)
    : ok(parsed.mediaType)
}

function readUri(value: JsonObject): Read<string> {
  const uri = value['uri']
  const isShort = typeof uri === 'string' && uri.length <= RESOURCE_URI_CHARS_MAX
  if (isShort && URL.canParse(uri)) return ok(uri)
  return refuseAt('/uri', `is not a URI of at most ${RESOURCE_URI_CHARS_MAX} characters`)
}

function optional(name: string, value: string | undefined): { readonly [name: string]: string } {
  return value === undefined ? {} : { [name]: value }
}

function refuseAt(pointer: string, message: string): { ok: false; error: FieldError } {
  return err({ pointer, message })
}

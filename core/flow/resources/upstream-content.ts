/**
 * Contents and messages that an upstream answered, rebuilt from their known members, with the URIs
 * under which the gateway serves them. Bound by ReadResourceResult and GetPromptResult of MCP.
 */
import { MIME_TYPE_CHARS_MAX } from '../../call/limits.ts'
import { ok, type Result, refuse } from '../../errors.ts'
import { countBase64Bytes } from '../../json/base64.ts'
import { isJsonObject, type Json, type JsonObject } from '../../json/json.ts'
import type { PromptMessage } from '../../mcp/content.ts'
import { readBlocks } from '../../response/read-blocks.ts'
import { rewriteLinks, rewriteUri } from '../../response/upstream-links.ts'
import { UPSTREAM_READ_PARTS_MAX } from '../../skills/upstreams/limits.ts'
import { readPageMeta } from '../../skills/upstreams/ui-meta.ts'

/** `uri` is the one here that was asked for, and `own` the server's. */
export type AskedUri = { readonly upstreamId: string; readonly uri: string; readonly own: string }

/** Returns the contents. Refuses with `upstream_failed`. */
export function readContents(result: JsonObject, asked: AskedUri): Result<readonly JsonObject[]> {
  const { contents } = result
  if (!Array.isArray(contents)) return refuseAnswer('has no array of contents')
  const items: readonly Json[] = contents
  if (items.length === 0) return refuseAnswer('has no content')
  if (items.length > UPSTREAM_READ_PARTS_MAX)
    return refuseAnswer(`has over ${UPSTREAM_READ_PARTS_MAX} contents`)
  const read: JsonObject[] = []
  for (const [index, item] of items.entries()) {
    const content = isJsonObject(item) ? readContent(item, asked) : undefined
    if (content === undefined)
      return refuseAnswer(`at /contents/${index} is not a text or valid base64 with a URI`)
    read.push(content)
  }
  return ok(read)
}

function readContent(item: JsonObject, { own, upstreamId, uri }: AskedUri): JsonObject | undefined {
  const { blob, mimeType, text, uri: sent = own } = item
  if (typeof sent !== 'string') return undefined
  const meta = readPageMeta(item['_meta'])
  const isType =
    typeof mimeType === 'string' &&
    mimeType.length <= MIME_TYPE_CHARS_MAX &&
    /^[\x21-\x7e][\x20-\x7e]*$/.test(mimeType)
  const about = {
    uri: sent === own ? uri : rewriteUri(sent, { hasResources: true, upstreamId }),
    ...(isType ? { mimeType } : {}),
  }
  const more = meta === undefined ? {} : { _meta: meta }
  if (typeof text === 'string') return { ...about, text, ...more }
  // A file of no bytes is an empty text in base64.
  const isData = typeof blob === 'string' && (blob === '' || countBase64Bytes(blob) !== undefined)
  return isData ? { ...about, blob, ...more } : undefined
}

export type ReadPrompt = {
  readonly members: JsonObject
  readonly messages: readonly PromptMessage[]
}

/** Refuses with `upstream_failed`. */
export function readPromptResult(result: JsonObject, upstreamId: string): Result<ReadPrompt> {
  const { description, messages } = result
  if (!Array.isArray(messages)) return refuseAnswer('has no array of messages')
  const items: readonly Json[] = messages
  if (items.length > UPSTREAM_READ_PARTS_MAX)
    return refuseAnswer(`has over ${UPSTREAM_READ_PARTS_MAX} messages`)
  const read: PromptMessage[] = []
  for (const [index, item] of items.entries()) {
    const message = isJsonObject(item) ? readMessage(item, upstreamId) : undefined
    if (message === undefined)
      return refuseAnswer(`at /messages/${index} is not a message with a role and one content`)
    read.push(message)
  }
  const members = typeof description === 'string' ? { description } : {}
  return ok({ members, messages: read })
}

function readMessage(
  { content = null, role }: JsonObject,
  upstreamId: string,
): PromptMessage | undefined {
  if (role !== 'user' && role !== 'assistant') return undefined
  const blocks = readBlocks(rewriteLinks([content], { hasResources: true, upstreamId }), upstreamId)
  const [block] = blocks.ok ? blocks.value : []
  return block === undefined ? undefined : { role, content: block }
}

function refuseAnswer(why: string): Result<never> {
  return refuse('upstream_failed', `The server’s answer ${why}.`)
}

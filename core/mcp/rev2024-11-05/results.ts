/**
 * Results in the shapes of revision 2024-11-05: members that it does not know (titles, output
 * schemas, structured content) are left out, and nothing optional is ever null, which clients refuse.
 * Bound by the schema of 2024-11-05 (InitializeResult, ListToolsResult, CallToolResult).
 */
import type { Json, JsonObject } from '../../json/json.ts'
import { isJsonObject } from '../../json/json.ts'
import type { Tool } from '../../skills/skill.ts'
import type { ContentBlock, MediaBlock, ToolResult } from '../content.ts'

export const PROTOCOL_VERSION = '2024-11-05'

/** Whatever version the client asked for: this is the one that it gets (spec, initialize). */
export function initializeResult(server: {
  name: string
  version: string
  instructions: string
}): JsonObject {
  return {
    protocolVersion: PROTOCOL_VERSION,
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: server.name, version: server.version },
    instructions: server.instructions,
  }
}

/** Tools in the order given; entries must have passed `fitsClients`. */
export function listResult(tools: readonly Tool[], nextCursor?: string): JsonObject {
  const listed = tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    inputSchema: withoutBooleanSchemas(tool.inputSchema),
  }))
  return nextCursor === undefined ? { tools: listed } : { tools: listed, nextCursor }
}

/** Key of `_meta`, with a prefix of our own as the specification asks for. */
const CREDITS_META = 'skillgate/credits'

/** Structured content has no place in this revision; its text is in `content` already. */
export function callResult({ content, credits, isError }: ToolResult): JsonObject {
  const known = content.map(blockOf)
  if (credits === undefined) return { content: known, isError }
  return { content: known, isError, _meta: { [CREDITS_META]: credits } }
}

/** What this revision has no block for becomes text that says so: clients refuse unknown blocks. */
function blockOf(block: ContentBlock): JsonObject {
  switch (block.type) {
    case 'text':
    case 'image':
    case 'resource':
      return block
    case 'audio':
      return { type: 'text', text: audioText(block) }
    case 'resource_link':
      return { type: 'text', text: `${block.title ?? block.name}: ${block.uri}` }
    default:
      return block satisfies never
  }
}

function audioText({ data, mimeType }: MediaBlock): string {
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0
  const bytes = (data.length / 4) * 3 - padding
  return (
    `[${mimeType}, ${bytes} bytes, left out: MCP ${PROTOCOL_VERSION} carries no audio. ` +
    'POST /v1/execute answers it whole.]'
  )
}

/** A property that is `true` or `false` is lawful JSON Schema, but official clients refuse the list. */
function withoutBooleanSchemas(schema: JsonObject): JsonObject {
  const properties = schema['properties']
  if (!isJsonObject(properties)) return schema
  const entries = Object.entries(properties).map(
    ([name, value]) => [name, asObject(value)] as const,
  )
  return { ...schema, properties: Object.fromEntries(entries) }
}

function asObject(schema: Json): Json {
  if (schema === true) return {}
  if (schema === false) return { not: {} }
  return schema
}

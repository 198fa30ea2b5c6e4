/**
 * Results of the legacy revisions, which differ in tool entries and content blocks. Structured
 * content that is not an object is dropped, because these revisions allow only objects; `content`
 * has its text. A content block of a type that a revision lacks becomes a text block, because
 * clients refuse unknown types. Bound by the schemas of 2024-11-05 to 2025-11-25 (InitializeResult,
 * ListToolsResult, CallToolResult).
 */
import { isJsonObject, type JsonObject } from '../json/json.ts'
import type { Tool } from '../skills/skill.ts'
import type {
  ContentBlock,
  MediaBlock,
  PromptMessage,
  ResourceBlock,
  ResourceLinkBlock,
  TextBlock,
  ToolResult,
} from './content.ts'
import { IDEMPOTENCY_CAPABILITY } from './idempotency-key.ts'
import { withoutUndefined } from './members.ts'
import { READING_EXTENSIONS, withoutEntryMembers } from './reading.ts'
import type { Revision, ServerInfo, ToolsPage } from './revision.ts'
import { makeResultMeta } from './tool-meta.ts'

/** The code for unknown resources until 2025-11-25 (server/resources, Error handling). */
export const RPC_RESOURCE_NOT_FOUND = -32_002

/** The revision supplies its tool entries and call results. All other results are the same. */
export function makeLegacyResults(
  version: string,
  {
    absentMembers,
    blockOf = (block) => block,
    callTool,
    entryOf,
  }: {
    /** Members of resources and prompts that the revision lacks. */
    readonly absentMembers: readonly string[]
    /** Converts a block of a prompt that the revision lacks. */
    readonly blockOf?: BlockWriter
    readonly callTool: (result: ToolResult) => JsonObject
    readonly entryOf: (tool: Tool) => JsonObject
  },
): Revision['results'] {
  return {
    initialize: (server, listChanged) => writeInitializeResult(version, server, listChanged),
    discover: throwNoSuchRequest,
    empty: () => ({}),
    listTools: (page) => writeToolsResult(page, entryOf),
    callTool,
    read: ({ members, messages }) => ({
      ...withoutEntryMembers(members, absentMembers),
      ...(messages === undefined ? {} : { messages: toMessages(messages, blockOf) }),
    }),
    inputRequired: undefined,
    listenEnded: throwNoSuchRequest,
  }
}

function writeInitializeResult(
  protocolVersion: string,
  { instructions, name, version }: ServerInfo,
  listChanged: boolean,
): JsonObject {
  return {
    protocolVersion,
    capabilities: {
      tools: { listChanged },
      resources: {},
      prompts: {},
      extensions: READING_EXTENSIONS,
      experimental: IDEMPOTENCY_CAPABILITY,
    },
    serverInfo: { name, version },
    instructions,
  }
}

/** Keeps the order of the tools. `checkForClients` has accepted all entries. */
function writeToolsResult(
  { nextCursor, tools }: Pick<ToolsPage, 'tools' | 'nextCursor'>,
  entryOf: (tool: Tool) => JsonObject,
): JsonObject {
  return withoutUndefined({ tools: tools.map(entryOf), nextCursor })
}

/** `uri` names a resource that the block becomes. */
type BlockWriter = (block: ContentBlock, uri: string) => ContentBlock

function toMessages(messages: readonly PromptMessage[], blockOf: BlockWriter) {
  return messages.map(({ content, role }, index) => ({
    role,
    content: blockOf(content, `skillgate://prompts/-/${index}`),
  }))
}

/** Writes the result for revisions without structured content. */
export function writeContentResult(result: ToolResult, blockOf: BlockWriter): JsonObject {
  const answer = `skillgate://calls/${result.call?.callId ?? '-'}/answer`
  return withoutUndefined({
    content: result.content.map((block, index) => blockOf(block, `${answer}/${index}`)),
    isError: result.isError,
    _meta: makeResultMeta(result),
  })
}

/** Writes the result for revisions with structured content. */
export function writeStructuredResult(result: ToolResult): JsonObject {
  const { content, isError, structuredContent } = result
  return withoutUndefined({
    content,
    structuredContent: isJsonObject(structuredContent) ? structuredContent : undefined,
    isError,
    _meta: makeResultMeta(result),
  })
}

/** Throws, because no request of a legacy revision has this result. */
function throwNoSuchRequest(): never {
  throw new Error('This revision has no such request, so no code may build its result.')
}

/**
 * Converts a block for 2024-11-05, which has text, images and embedded resources. `uri` names a
 * resource that the block becomes.
 */
export function withoutAudioAndLinks(block: ContentBlock, uri: string): ContentBlock {
  return block.type === 'audio' ? toAudioResource(block, uri) : withoutLinks(block)
}

/** Converts a block for 2025-03-26, which also has audio. */
export function withoutLinks(block: ContentBlock): ContentBlock {
  return block.type === 'resource_link' ? toLinkText(block) : block
}

function toLinkText({ name, title, uri }: ResourceLinkBlock): TextBlock {
  return { type: 'text', text: `${title ?? name}: ${uri}` }
}

function toAudioResource({ data, mimeType }: MediaBlock, uri: string): ResourceBlock {
  return { type: 'resource', resource: { uri, mimeType, blob: data } }
}

/**
 * Results whose form all legacy revisions share; entries and content blocks differ. Structured
 * content that is not an object is dropped, because these revisions allow objects only; its text is
 * in `content` already. Bound by the schemas of 2024-11-05 to 2025-11-25 (InitializeResult,
 * ListToolsResult, CallToolResult).
 */
import { isJsonObject, type JsonObject } from '../json/json.ts'
import type { Tool } from '../skills/skill.ts'
import type { ContentBlock, ToolResult } from './content.ts'
import { IDEMPOTENCY_CAPABILITY } from './idempotency-key.ts'
import { members } from './members.ts'
import type { Revision, ServerInfo, ToolsPage } from './revision.ts'
import { resultMeta } from './tool-meta.ts'

/**
 * The revision supplies its tool entries and call results; the other results are the same for all.
 */
export function legacyResults(
  version: string,
  {
    callTool,
    entryOf,
  }: {
    readonly callTool: (result: ToolResult) => JsonObject
    readonly entryOf: (tool: Tool) => JsonObject
  },
): Revision['results'] {
  return {
    initialize: (server, listChanged) => initializeResult(version, server, listChanged),
    discover: neverAsked,
    empty: () => ({}),
    listTools: (page) => toolsResult(page, entryOf),
    callTool,
    inputRequired: undefined,
    listenEnded: neverAsked,
  }
}

function initializeResult(
  protocolVersion: string,
  { instructions, name, version }: ServerInfo,
  listChanged: boolean,
): JsonObject {
  return {
    protocolVersion,
    capabilities: { tools: { listChanged }, experimental: IDEMPOTENCY_CAPABILITY },
    serverInfo: { name, version },
    instructions,
  }
}

/** Keeps the order of the tools; entries must have passed `fitsClients`. */
function toolsResult(
  { nextCursor, tools }: Pick<ToolsPage, 'tools' | 'nextCursor'>,
  entryOf: (tool: Tool) => JsonObject,
): JsonObject {
  return members({ tools: tools.map(entryOf), nextCursor })
}

/** For revisions without structured content. */
export function contentResult(
  result: ToolResult,
  blockOf: (block: ContentBlock) => ContentBlock,
): JsonObject {
  return members({
    content: result.content.map(blockOf),
    isError: result.isError,
    _meta: resultMeta(result),
  })
}

export function structuredResult(result: ToolResult): JsonObject {
  const { content, isError, structuredContent } = result
  return members({
    content,
    structuredContent: isJsonObject(structuredContent) ? structuredContent : undefined,
    isError,
    _meta: resultMeta(result),
  })
}

/**
 * For results that no request of the revision leads to: a call means that the wrong table was used.
 */
function neverAsked(): never {
  throw new Error('This revision has no such request, so no code may build its result.')
}

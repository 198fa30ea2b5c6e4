/**
 * Results that the legacy revisions word alike, each with its own entries and blocks. `structured`
 * is left out where it is no object, which is all that they know; its text is in `content` already.
 * Bound by the schemas of 2024-11-05 to 2025-11-25 (InitializeResult, ListToolsResult, CallToolResult).
 */
import { isJsonObject, type JsonObject } from '../json/json.ts'
import type { Tool } from '../skills/skill.ts'
import type { ContentBlock, ToolResult } from './content.ts'
import { members } from './members.ts'
import type { Revision, ServerInfo, ToolsPage } from './revision.ts'
import { creditsMeta } from './tool-meta.ts'

/** Entries and call results are the revision's own; the rest is worded alike. */
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
    capabilities: { tools: { listChanged } },
    serverInfo: { name, version },
    instructions,
  }
}

/** Tools in the order given; entries must have passed `fitsClients`. */
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
    _meta: creditsMeta(result),
  })
}

export function structuredResult(result: ToolResult): JsonObject {
  const { content, isError, structuredContent } = result
  return members({
    content,
    structuredContent: isJsonObject(structuredContent) ? structuredContent : undefined,
    isError,
    _meta: creditsMeta(result),
  })
}

/** For what no request of a revision asks for: whoever calls it took the wrong table. */
function neverAsked(): never {
  throw new Error('This revision has no such request, so nothing can have asked for its result.')
}

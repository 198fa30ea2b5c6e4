/**
 * Results of 2026-07-28. Each names its kind and the server; lists also say how long and by whom
 * they may be cached. Tools and results go out in their richest form. Bound by its schema (Result,
 * CacheableResult, CallToolResult, InputRequiredResult).
 */

import type { JsonObject } from '../../json/json.ts'
import type { Tool } from '../../skills/skill.ts'
import type { ToolResult } from '../content.ts'
import { emojiIcons } from '../emoji-icon.ts'
import { listedInputSchema, listedOutputSchema } from '../listed-schema.ts'
import { members } from '../members.ts'
import { oncePerTool } from '../once-per-tool.ts'
import type { InputRequired, ServerInfo, TaskView, ToolsPage } from '../revision.ts'
import { TASK_POLL_MS, TASK_TTL_MS, TASKS_EXTENSION } from '../task.ts'
import { callMeta, resultMeta, toolMeta } from '../tool-meta.ts'

/** A server's capabilities change only with a deployment. */
export const DISCOVER_TTL_MS = 3_600_000
/** A listening client hears of a change within seconds; another one is at most a minute behind. */
export const TOOLS_TTL_MS = 60_000

const SERVER_INFO_META = 'io.modelcontextprotocol/serverInfo'

/** `listChanged`: some clients open a listen stream as soon as they read it. */
export function discoverResult(
  server: ServerInfo,
  supported: readonly string[],
  listChanged: boolean,
): JsonObject {
  return {
    ...complete(server),
    supportedVersions: supported,
    // Log messages go only to calls whose own `_meta` names a level.
    capabilities: { tools: { listChanged }, logging: {}, extensions: { [TASKS_EXTENSION]: {} } },
    instructions: server.instructions,
    ttlMs: DISCOVER_TTL_MS,
    cacheScope: 'public',
  }
}

export function emptyResult(server: ServerInfo): JsonObject {
  return complete(server)
}

const entryOf = oncePerTool(toolEntry)

/** `private` when callers see different lists, so that a shared cache does not mix them up. */
export function listResult(page: ToolsPage, server: ServerInfo): JsonObject {
  return members({
    ...complete(server),
    tools: page.tools.map(entryOf),
    nextCursor: page.nextCursor,
    ttlMs: TOOLS_TTL_MS,
    cacheScope: page.dependsOnCaller ? 'private' : 'public',
  })
}

export function callResult(result: ToolResult, server: ServerInfo): JsonObject {
  return members({
    resultType: 'complete',
    content: result.content,
    structuredContent: result.structuredContent,
    isError: result.isError,
    _meta: { ...serverMeta(server), ...resultMeta(result) },
  })
}

export function inputResult(
  { callId, requests, state }: InputRequired,
  server: ServerInfo,
): JsonObject {
  return members({
    resultType: 'input_required',
    inputRequests: requests,
    requestState: state,
    _meta: { ...serverMeta(server), ...callMeta({ callId }) },
  })
}

/** Flat. Only the answer to the call itself has the kind `task`. */
export function taskResult(
  { createdAtMs, end, status, taskId, updatedAtMs }: TaskView,
  answers: 'call' | 'get',
  server: ServerInfo,
): JsonObject {
  return {
    resultType: answers === 'call' ? 'task' : 'complete',
    taskId,
    status,
    createdAt: new Date(createdAtMs).toISOString(),
    lastUpdatedAt: new Date(updatedAtMs).toISOString(),
    ttlMs: TASK_TTL_MS,
    pollIntervalMs: TASK_POLL_MS,
    ...end,
    _meta: serverMeta(server),
  }
}

export function serverMeta({ name, version }: ServerInfo): JsonObject {
  return { [SERVER_INFO_META]: { name, version } }
}

function complete(server: ServerInfo): JsonObject {
  return { resultType: 'complete', _meta: serverMeta(server) }
}

/**
 * Schemas are sent unchanged except for `$id`: any root type, boolean property schemas included.
 */
function toolEntry(tool: Tool): JsonObject {
  return members({
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: listedInputSchema(tool.inputSchema),
    outputSchema: tool.outputSchema && listedOutputSchema(tool.outputSchema),
    annotations: tool.annotations,
    icons: emojiIcons(tool.emoji),
    _meta: toolMeta(tool),
  })
}

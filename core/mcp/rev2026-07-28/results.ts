/**
 * Writes results of 2026-07-28. Each has its kind and the server; lists also say how long and by
 * whom they may be cached. Tools and results have all fields. Bound by the revision's schema
 * (Result, CacheableResult, CallToolResult, InputRequiredResult).
 */

import type { JsonObject } from '../../json/json.ts'
import type { Tool } from '../../skills/skill.ts'
import type { ToolResult } from '../content.ts'
import { makeEmojiIcons } from '../emoji-icon.ts'
import { IDEMPOTENCY_CAPABILITY } from '../idempotency-key.ts'
import { toListedInputSchema, toListedOutputSchema } from '../listed-schema.ts'
import { withoutUndefined } from '../members.ts'
import { cachePerTool } from '../once-per-tool.ts'
import { READING_EXTENSIONS } from '../reading.ts'
import type {
  Announced,
  InputRequired,
  Reading,
  ServerInfo,
  TaskView,
  ToolsPage,
} from '../revision.ts'
import { TASK_POLL_MS, TASKS_EXTENSION } from '../task.ts'
import { makeCallMeta, makeResultMeta, makeToolMeta } from '../tool-meta.ts'

/** A server's capabilities change only with a deployment. */
export const DISCOVER_TTL_MS = 3_600_000
/** A listening client learns of a change within seconds, any other client within a minute. */
export const TOOLS_TTL_MS = 60_000

const SERVER_INFO_META = 'io.modelcontextprotocol/serverInfo'

/** Some clients open a listen stream as soon as they read `listChanged`. */
export function writeDiscoverResult(
  server: ServerInfo,
  supported: readonly string[],
  { extensions, listChanged }: Announced,
): JsonObject {
  return {
    ...complete(server),
    supportedVersions: supported,
    // Log messages are sent only for calls whose own `_meta` has a level.
    capabilities: {
      tools: { listChanged },
      resources: {},
      prompts: {},
      logging: {},
      extensions: {
        ...IDEMPOTENCY_CAPABILITY,
        [TASKS_EXTENSION]: {},
        ...READING_EXTENSIONS,
        ...Object.fromEntries(extensions.map((id) => [id, {}])),
      },
    },
    instructions: server.instructions,
    ttlMs: DISCOVER_TTL_MS,
    cacheScope: 'public',
  }
}

export function writeEmptyResult(server: ServerInfo): JsonObject {
  return complete(server)
}

const entryOf = cachePerTool(toolEntry)

/**
 * Uses the scope `private` if callers see different lists, so that shared caches keep them apart.
 */
export function writeListResult(page: ToolsPage, server: ServerInfo): JsonObject {
  return withoutUndefined({
    ...complete(server),
    tools: page.tools.map(entryOf),
    nextCursor: page.nextCursor,
    ttlMs: TOOLS_TTL_MS,
    cacheScope: page.dependsOnCaller ? 'private' : 'public',
  })
}

/** Other callers may read other resources, so shared caches keep them apart. */
export function writeReadResult(
  { members, messages, ttlMs }: Reading,
  server: ServerInfo,
): JsonObject {
  const cached = ttlMs === undefined ? {} : { ttlMs, cacheScope: 'private' }
  const told = messages === undefined ? {} : { messages: [...messages] }
  return { ...complete(server), ...members, ...told, ...cached }
}

export function writeCallResult(result: ToolResult, server: ServerInfo): JsonObject {
  return withoutUndefined({
    resultType: 'complete',
    content: result.content,
    structuredContent: result.structuredContent,
    isError: result.isError,
    _meta: { ...toServerMeta(server), ...makeResultMeta(result) },
  })
}

export function writeInputResult(
  { callId, requests, state }: InputRequired,
  server: ServerInfo,
): JsonObject {
  return withoutUndefined({
    resultType: 'input_required',
    inputRequests: requests,
    requestState: state,
    _meta: { ...toServerMeta(server), ...makeCallMeta({ callId }) },
  })
}

/** Flat. Only the answer to the call itself has the kind `task`. */
export function taskResult(
  task: TaskView,
  answers: 'call' | 'get',
  server: ServerInfo,
): JsonObject {
  const resultType = answers === 'call' ? 'task' : 'complete'
  return { resultType, ...toTaskMembers(task), _meta: toServerMeta(server) }
}

export function toTaskMembers({
  createdAtMs,
  end,
  message,
  status,
  taskId,
  ttlMs,
  updatedAtMs,
}: TaskView): JsonObject {
  return {
    taskId,
    status,
    ...(message === undefined ? {} : { statusMessage: message }),
    createdAt: new Date(createdAtMs).toISOString(),
    lastUpdatedAt: new Date(updatedAtMs).toISOString(),
    ttlMs,
    pollIntervalMs: TASK_POLL_MS,
    ...end,
  }
}

export function toServerMeta({ name, version }: ServerInfo): JsonObject {
  return { [SERVER_INFO_META]: { name, version } }
}

function complete(server: ServerInfo): JsonObject {
  return { resultType: 'complete', _meta: toServerMeta(server) }
}

/** Schemas are sent unchanged except for `$id`, with any root and with boolean property schemas. */
function toolEntry(tool: Tool): JsonObject {
  return withoutUndefined({
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: toListedInputSchema(tool.inputSchema),
    outputSchema: tool.outputSchema && toListedOutputSchema(tool.outputSchema),
    annotations: tool.annotations,
    icons: makeEmojiIcons(tool.emoji),
    _meta: makeToolMeta(tool),
  })
}

/**
 * The definition of one MCP revision: a table of methods that is also its feature set, and the
 * shapes of its answers. A new revision is a new folder with one of these and a line in
 * revisions.ts; no other code compares versions. Bound by ADR 0025.
 */

import type { Result } from '../errors.ts'
import type { Json, JsonObject } from '../json/json.ts'
import type { IdText, RpcError, RpcNotification, RpcRequest } from '../jsonrpc/message.ts'
import type { TaskStatus } from '../mcp/task.ts'
import type { Tool } from '../skills/skill.ts'
import type { ToolResult } from './content.ts'
import type { Intent, LogLevel, Notice, ProgressToken } from './intent.ts'

/** legacy: has `initialize`. modern: every request carries its own `_meta` (from 2026-07-28 on). */
export type Era = 'legacy' | 'modern'

/** `text` is the message as posted, because a parsed number no longer shows how it was written. */
export type ReadRequest = (
  params: JsonObject,
  request: RpcRequest,
  text: string,
) => Result<Intent, RpcError>

export type ServerInfo = {
  readonly name: string
  readonly version: string
  readonly instructions: string
}

export type ToolsPage = {
  readonly tools: readonly Tool[]
  readonly nextCursor: string | undefined
  /** True when other callers may see another list. */
  readonly dependsOnCaller: boolean
}

/** The questions that the client must answer before the call can go on; nothing was charged. */
export type InputRequired = {
  readonly callId: string
  /** By key: `{method, params}` of elicitation/create, sampling/createMessage or roots/list. */
  readonly requests: JsonObject
  /** Opaque to the client, which returns it. */
  readonly state: string | undefined
}

/** A task as its client sees it. */
export type TaskView = {
  readonly taskId: string
  readonly status: TaskStatus
  readonly createdAtMs: number
  readonly updatedAtMs: number
  /** The members `result` or `error`; empty while it works. */
  readonly end: JsonObject
}

export type Revision = {
  readonly version: string
  readonly era: Era
  /** One POST may carry an array of messages. */
  readonly batches: boolean
  /** Methods in the table are served; others are -32601. */
  readonly requests: ReadonlyMap<string, ReadRequest>
  readNotification(notification: RpcNotification, text: string): Notice
  readonly results: {
    /** `listChanged`: whether this transport announces that it pushes tools/list_changed. */
    initialize(server: ServerInfo, listChanged: boolean): JsonObject
    discover(server: ServerInfo, supported: readonly string[], listChanged: boolean): JsonObject
    /** The result of `ping` and of other requests with an empty result. */
    empty(server: ServerInfo): JsonObject
    listTools(page: ToolsPage, server: ServerInfo): JsonObject
    callTool(result: ToolResult, server: ServerInfo): JsonObject
    /** Undefined when the revision has no such result and asks by requests, or not at all. */
    inputRequired: ((input: InputRequired, server: ServerInfo) => JsonObject) | undefined
    /** A task, as the answer to its call or to `tasks/get`; absent when the revision has no tasks. */
    readonly task?: (task: TaskView, answers: 'call' | 'get', server: ServerInfo) => JsonObject
    /** The whole reply that ends a `subscriptions/listen`: JSON text, its id as posted. */
    listenEnded(id: IdText, server: ServerInfo): string
  }
  /** Whole notifications as JSON text; undefined when the revision has none of the kind. */
  readonly notifications: {
    progress(of: { token: ProgressToken; progress: number; total: number; message: string }): string
    log: ((of: { level: LogLevel; logger: string; data: Json }) => string) | undefined
    listenAcknowledged: ((id: IdText, toolsListChanged: boolean) => string) | undefined
    /** `listen`: the id of the listen request whose stream carries it; undefined on HTTP+SSE. */
    toolsListChanged(listen: IdText | undefined): string
  }
  /** Requests that a server of this revision may send to the client while a call runs. */
  readonly serverRequests: ReadonlySet<
    'elicitation/create' | 'sampling/createMessage' | 'roots/list'
  >
}

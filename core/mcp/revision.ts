/**
 * The type of an MCP revision: a table of its methods, which is also its feature set, and the forms
 * of its answers. A new revision is a folder with such a table and a line in revisions.ts. No other
 * code compares versions. Bound by ADR 0025.
 */

import type { Result } from '../errors.ts'
import type { Json, JsonObject } from '../json/json.ts'
import type { IdText, RpcError, RpcNotification, RpcRequest } from '../jsonrpc/message.ts'
import type { TaskStatus } from '../mcp/task.ts'
import type { ShownLink } from '../secrets/secret-link.ts'
import type { Tool } from '../skills/skill.ts'
import type { PromptMessage, ToolResult } from './content.ts'
import type { Intent, LogLevel, Notice } from './intent.ts'
import type { Progress } from './notifications.ts'

/**
 * Legacy revisions have `initialize`. In modern ones (since 2026-07-28), each request has `_meta`.
 */
export type Era = 'legacy' | 'modern'

/** `text` is the message as posted, because a parsed number does not show how it was written. */
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

/** What an operator lets the gateway announce. */
export type Announced = {
  /** The transport sends tools/list_changed. */
  readonly listChanged: boolean
  /** Ids of extensions that depend on settings. */
  readonly extensions: readonly string[]
}

export type ToolsPage = {
  readonly tools: readonly Tool[]
  readonly nextCursor: string | undefined
  /** True if other callers may see another list. */
  readonly dependsOnCaller: boolean
}

/** Questions that the client must answer before the call can continue. No charge was made. */
export type InputRequired = {
  readonly callId: string
  /** `{method, params}` of elicitation/create, sampling/createMessage or roots/list, by key. */
  readonly requests: JsonObject
  /** An opaque text that the client returns. */
  readonly state: string | undefined
}

/** An answer about resources, prompts or guides. Lists depend on the caller. */
export type Reading = {
  /** The members of the result, with all that any revision has. */
  readonly members: JsonObject
  /** Of an upstream's prompt; a block that a revision lacks becomes another one. */
  readonly messages?: readonly PromptMessage[]
  /** How long the caller may use it again, in ms; undefined for a result that is not cached. */
  readonly ttlMs: number | undefined
}

/** A task as its client sees it. */
export type TaskView = {
  readonly taskId: string
  readonly status: TaskStatus
  readonly createdAtMs: number
  readonly updatedAtMs: number
  readonly ttlMs: number
  /** What its upstream says about the work. */
  readonly message?: string | undefined
  /** The members `result` or `error`; empty while it works. */
  readonly end: JsonObject
}

/** What a listen stream will send. */
export type SentNotifications = {
  readonly toolsListChanged: boolean
  /** Ids of the tasks that the caller has; undefined if the client asked for none. */
  readonly taskIds?: readonly string[] | undefined
}

export type Revision = {
  readonly version: string
  readonly era: Era
  /** True if one POST may have an array of messages. */
  readonly batches: boolean
  /** The served methods. Other methods are refused with -32601. */
  readonly requests: ReadonlyMap<string, ReadRequest>
  readNotification(notification: RpcNotification, text: string): Notice
  readonly results: {
    /** `listChanged` announces that the transport sends tools/list_changed. */
    initialize(server: ServerInfo, listChanged: boolean): JsonObject
    discover(server: ServerInfo, supported: readonly string[], announced: Announced): JsonObject
    /** The result of `ping` and of other requests with an empty result. */
    empty(server: ServerInfo): JsonObject
    listTools(page: ToolsPage, server: ServerInfo): JsonObject
    callTool(result: ToolResult, server: ServerInfo): JsonObject
    read(reading: Reading, server: ServerInfo): JsonObject
    /** Undefined for a revision without such a result. */
    inputRequired: ((input: InputRequired, server: ServerInfo) => JsonObject) | undefined
    /**
     * The error that asks the client to show a link to its user. Undefined for a revision without it.
     */
    readonly showLink?: (link: ShownLink, text: string) => RpcError
    /**
     * A task as the answer to its call or to `tasks/get`. Undefined for a revision without tasks.
     */
    readonly task?: (task: TaskView, answers: 'call' | 'get', server: ServerInfo) => JsonObject
    /** Writes the complete reply that ends a `subscriptions/listen`, with the id as posted. */
    listenEnded(id: IdText, server: ServerInfo): string
  }
  /** The code of the error for a URI that nothing has, or that the caller may not read. */
  readonly unknownResourceCode: number
  /** Writers of notifications as JSON text; undefined if the revision lacks the notification. */
  readonly notifications: {
    progress(of: Progress): string
    log: ((of: { level: LogLevel; logger: string; data: Json }) => string) | undefined
    listenAcknowledged: ((id: IdText, sent: SentNotifications) => string) | undefined
    /** `listen` is the id of the listen request of the stream; undefined on HTTP+SSE. */
    toolsListChanged(listen: IdText | undefined): string
    /**
     * A task as it stands, on the listen stream with this id. Undefined for a revision without
     * tasks.
     */
    readonly task?: (listen: IdText, task: TaskView) => string
  }
  /** Requests that a server may send to the client while a call runs. */
  /** True if `elicitation/create` may ask the user to open a page. */
  readonly asksByUrl?: true
  readonly serverRequests: ReadonlySet<
    'elicitation/create' | 'sampling/createMessage' | 'roots/list'
  >
}

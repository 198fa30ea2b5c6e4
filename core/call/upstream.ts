/** Types of requests to an upstream and of its answers. Bodies are bytes or text. */
import type { FailureClass } from '../errors.ts'
import type { Json, JsonObject } from '../json/json.ts'
import type { AwsSigning, HttpMethod, LambdaTarget, McpTarget } from '../skills/skill.ts'

export type UpstreamRequest = {
  readonly method: HttpMethod
  readonly url: string
  /** Lower-case names. */
  readonly headers: { readonly [name: string]: string }
  /** Bytes if the body has files. */
  readonly body: string | Uint8Array | undefined
  /** Parts with secrets, which never go to another origin; undefined without secrets. */
  readonly sensitive?: {
    /** Lower-case names. */
    readonly headers: readonly string[]
    readonly query: boolean
    readonly body: boolean
  }
  /** A redirect that would make a GET of the request is refused. */
  readonly keepsMethod?: true
  /** Signed after all hooks have run, just before it is sent. */
  readonly signing?: AwsSigning
  /** The request invokes this function; its body is the event. */
  readonly lambda?: LambdaTarget
  /** The request calls a tool of the MCP server at `url`; `headers` go with each of its messages. */
  readonly mcp?: McpCall
}

/**
 * A `tools/call` of an upstream. Its answer has the tool's result as JSON, as `response.as: "mcp"`
 * reads it. A JSON-RPC error is an answer of the type {@link MCP_ERROR_TYPE}.
 */
export type McpCall = McpTarget & {
  readonly arguments: JsonObject
  /** Answers to the questions of the round before, with the server's own state. */
  readonly input?: { readonly responses: JsonObject; readonly state?: string | undefined }
  /** What the caller's client can be asked. */
  readonly capabilities: JsonObject
  /** Handed on in `_meta`. */
  readonly idempotencyKey?: string | undefined
  /** The caller takes a task for its answer. The answer then has the status 202. */
  readonly takesTask?: boolean
  /** A request about a task of the tool, in place of a call. */
  readonly task?: McpTaskRequest
}

export type McpTaskRequest = { readonly taskId: string } & (
  | { readonly method: 'tasks/cancel' | 'tasks/get' }
  /** Answers to questions of the task, by their keys. */
  | { readonly method: 'tasks/update'; readonly responses: JsonObject }
)

/** The media type of an answer whose body is the `error` of a JSON-RPC message. */
export const MCP_ERROR_TYPE = 'application/vnd.skillgate.mcp-error+json'

/** A progress notification of an upstream, its numbers as sent. */
export type UpstreamProgress = {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

/** A request that an upstream sends while a call runs, such as `elicitation/create`. */
export type UpstreamQuestion = { readonly method: string; readonly params: Json }

export type UpstreamResponse = {
  readonly status: number
  /** Media type without parameters, lower-case; '' if the upstream sent none. */
  readonly mediaType: string
  /** Charset parameter, lower-case; 'utf-8' if the upstream sent none. */
  readonly charset: string
  readonly body: Uint8Array
  /** The Retry-After header unchanged. */
  readonly retryAfter?: string
  /** The requested headers by lower-case name. Values of a repeated name are joined by commas. */
  readonly headers?: { readonly [name: string]: string }
  /** Why the answer is a failure, for an upstream that does not say so by a status of HTTP. */
  readonly failure?: UpstreamFailed
}

export type UpstreamFailed = {
  /** Sentences that replace those made of status and body. May quote the upstream. */
  readonly detail: string
  /** Decides the advice to the caller. */
  readonly upstreamFault?: FailureClass
}

/**
 * The outcome of an upstream call. A failure is a value, because it decides the charge. A `detail`
 * is a clause without a full stop that follows "The upstream could not be reached: …"; for
 * `unreachable` and `unreadable`, the clause follows "… it …".
 */
export type UpstreamAnswer =
  | { readonly kind: 'answered'; readonly response: UpstreamResponse }
  /** Nothing was sent: a URL, an address, a redirect or a header was not allowed. */
  | { readonly kind: 'refused_target'; readonly detail: string }
  /**
   * `neverConnected`: there was no connection to the host of the request, so nothing was sent.
   * `hasPartialAnswer`: part of an answer arrived, so the upstream may have done its work.
   * `isGatewayFault`: a part of the gateway failed, which says nothing about the upstream.
   */
  | {
      readonly kind: 'unreachable'
      readonly detail: string
      readonly neverConnected?: true
      readonly hasPartialAnswer?: true
      readonly isGatewayFault?: true
    }
  /** The answer is not valid HTTP, or has a form that the request did not accept. */
  | { readonly kind: 'unreadable'; readonly detail: string }
  | { readonly kind: 'too_large'; readonly bytesMax: number }
  | { readonly kind: 'cut' }

/** The head of a request as it is written: the parsed URL, then every header in order. */
export type RequestHead = {
  readonly url: string
  readonly headers: readonly (readonly [name: string, value: string])[]
}

/** Whether a URL may be called now. Each rule is a sentence without a full stop. */
export type TargetVerdict = {
  readonly origin: string
  readonly allowed: boolean
  /** The rule that decided. */
  readonly rule: string
  /**
   * The current addresses of the host; empty if the URL was refused before the name was resolved.
   */
  readonly addresses: readonly {
    readonly address: string
    readonly allowed: boolean
    readonly rule: string
  }[]
}

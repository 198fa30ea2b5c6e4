/** MCP servers as upstreams: what they list and hold. Calls of tools go through `Upstream`. */
import type { UpstreamAnswer } from '../call/upstream.ts'
import type { Result } from '../errors.ts'
import type { JsonObject } from '../json/json.ts'
import type { AwsSigning } from '../skills/skill.ts'

export type McpServer = {
  readonly url: string
  /** Complete, with credentials; lower-case names. */
  readonly headers: { readonly [name: string]: string }
  /** Lower-case names of headers with secrets. */
  readonly sensitiveHeaders: readonly string[]
  readonly signing?: AwsSigning
  /** Whose credentials the headers have: a uid, or '' for everybody's. Sessions are shared within it. */
  readonly uid: string
}

export type McpListKind = 'tools' | 'resources' | 'resourceTemplates' | 'prompts'

export type McpLimits = { readonly signal: AbortSignal; readonly bytesMax: number }

export type McpListing = {
  /**
   * Entries as the server sent them, in its order, but for those with names or characters that are
   * unsafe to pass on. Numbers that a double would change are raw numbers.
   */
  readonly entries: readonly JsonObject[]
  /** The revision that was spoken. */
  readonly version: string
  /** `name` and `version` of the server, if it told them. */
  readonly serverInfo?: { readonly name: string; readonly version: string }
  readonly instructions?: string
}

/**
 * `detail` is a clause without a full stop that follows "the server …". It may quote the server in
 * full: mask it, then cut it.
 */
export type McpFault =
  | { readonly kind: 'failed'; readonly detail: string; readonly answer?: UpstreamAnswer }
  /** `challenge` is the WWW-Authenticate header. */
  | {
      readonly kind: 'unauthorized'
      readonly detail: string
      readonly status: 401 | 403
      readonly challenge: string
    }
  /** The server answered with a JSON-RPC error. */
  | { readonly kind: 'error'; readonly code: number; readonly detail: string }

export type McpServers = {
  /** Follows all pages within the limits of docs/wire.md. */
  list(
    server: McpServer,
    kind: McpListKind,
    limits: McpLimits,
  ): Promise<Result<McpListing, McpFault>>
  /** `resources/read` or `prompts/get`: the result as the server sent it. */
  ask(
    server: McpServer,
    request: { readonly method: 'resources/read' | 'prompts/get'; readonly params: JsonObject },
    limits: McpLimits,
  ): Promise<Result<JsonObject, McpFault>>
}

/**
 * An MCP server whose tools are skills of the gateway. Field names of the settings are those of the
 * admin API. Each approved tool is a skill: the skill has the approved definition, and its mark has
 * the pin. A tool that is not approved is an {@link OfferedTool}. Bound by docs/upstreams.md and
 * ADR 0123.
 */
import type { JsonObject } from '../../json/json.ts'

/** What a refresh does about a tool that is new or has changed. */
export const PIN_POLICIES = ['trust', 'review', 'block'] as const
export type PinPolicy = (typeof PIN_POLICIES)[number]

export type UpstreamSettings = {
  readonly url: string
  /** Tool names begin with it, after the gateway's own prefix. */
  readonly prefix: string
  readonly source: 'official' | 'market'
  /** As in `config.auth` of a skill; read by the reader of skills alone. */
  readonly auth?: JsonObject
  /** As in `config.headers` of a skill. */
  readonly headers?: JsonObject
  /** Globs of the server's own tool names. Without `include`, all. `exclude` is stronger. */
  readonly include?: readonly string[]
  readonly exclude?: readonly string[]
  /** Credits per call, and by the server's own tool name. */
  readonly credits: number
  readonly prices: { readonly [tool: string]: number }
  readonly timeout_ms?: number
  readonly max_response_bytes?: number
  /** Minutes between refreshes; 0: by hand alone. */
  readonly refresh_minutes: number
  readonly pins: PinPolicy
  readonly groups?: readonly string[]
  /** True: a result with `isError` is charged. */
  readonly charge_tool_errors: boolean
  /** True: agents read the server's resources and prompts. */
  readonly resources: boolean
}

/** What the last listings gave. */
export type UpstreamStatus = {
  /** Tools of the last listing that the globs select. */
  readonly tools: number
  readonly counts: { readonly [state in OfferState]: number }
  /** When the server last listed its tools; undefined before the first time. */
  readonly listedAtMs?: number
  /** Refreshes in a row that got no list. */
  readonly failures: number
  /** Why the last refresh got no list. */
  readonly lastFailure?: string
  /** What the server says of itself. */
  readonly server?: { readonly name: string; readonly version: string }
  /** The revision of MCP that it spoke. */
  readonly protocol?: string
  /** What is kept of its resources, templates and prompts; absent if agents read none. */
  readonly held?: HeldCounts
}

/** `left_out`: entries that are unusable here, or past a limit. */
export type HeldCounts = {
  readonly resources: number
  readonly resource_templates: number
  readonly prompts: number
  readonly left_out: number
}

export type McpUpstream = {
  readonly id: string
  readonly settings: UpstreamSettings
  readonly status: UpstreamStatus
  /** Each write adds 1. */
  readonly version: number
  readonly createdAtMs: number
  /** When the settings were last changed, and by whom. */
  readonly updatedAtMs: number
  readonly by: string
  /** Undefined: by hand alone. */
  readonly nextRefreshAtMs?: number
  /** Who changes its tools now; void after `untilMs`. */
  readonly lease?: { readonly token: string; readonly untilMs: number }
  /** It is being deleted: nothing but a deletion may change its tools. */
  readonly isDeleting?: true
}

/**
 * - `new`: not approved yet; it has no skill.
 * - `changed`: differs from the approved definition.
 * - `flagged`: new or changed, and its texts need a person's eyes (`faults`).
 * - `gone`: approved, and the last listing did not have it.
 * - `unusable`: cannot be a tool here (`faults`).
 */
export const OFFER_STATES = ['new', 'changed', 'flagged', 'gone', 'unusable'] as const
export type OfferState = (typeof OFFER_STATES)[number]

/** A tool of the last listing that differs from what is approved. */
export type OfferedTool = {
  /** The server's own name. */
  readonly tool: string
  readonly state: OfferState
  /** The pin that an approval gives; '' for a tool that is gone. */
  readonly digest: string
  /** The entry as listed; empty for a tool that is gone. */
  readonly entry: JsonObject
  /** First listing that had it in this form, or that did not have it. */
  readonly seenAtMs: number
  /** Sentences for the administrator. */
  readonly faults: readonly string[]
}

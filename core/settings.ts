/**
 * The settings of an operator, typed; adapters/config reads them once at start, and flows get them.
 */

export type TierLimits = {
  readonly callsPerMinute: number
  /** Calls of one user that may hold credits at the same time. */
  readonly holdsMax: number
}

export type StreamLimits = {
  /** Open streams of one key; the next one ends the one longest without a POST. */
  readonly perKeyMax: number
  /** Open streams in all (70 % of the sse function's concurrency). */
  readonly totalMax: number
  /** Of these, anonymous ones (10 %); 0 switches anonymous sessions off. */
  readonly anonymousMax: number
}

export type Settings = {
  readonly version: string
  /** Service prefix of skill ids and tool names, without the underscore. */
  readonly prefix: string
  readonly tiers: { readonly free: TierLimits; readonly [tier: string]: TierLimits }
  readonly streams: StreamLimits
  /**
   * `/mcp` announces `tools.listChanged` to clients of 2026-07-28, some of which then hold a listen stream
   * open. A client that asks for a listen stream gets one either way.
   */
  readonly announceToolChanges: boolean
  /** Keeps what upstreams answer to failed calls, masked, for administrators. */
  readonly callExcerpts: boolean
  /** How long the store keeps outcomes of calls; older ones are in the archive only. */
  readonly ledgerHotMs: number
  /** Absent: events of users go nowhere, and none are recorded. */
  readonly events?: {
    /** Micro-credits at or below which a balance is low, where the user has no threshold. */
    readonly lowBalance: number
  }
  /** Browser origins that may use the agent doors, besides the door's own; `*` allows any. */
  readonly allowedOrigins: readonly string[]
  /** `host` or `host:port` for which http and private addresses are allowed upstream. */
  readonly outboundAllow: readonly string[]
  /** Public URL of POST /v1/execute for texts that name it; undefined when not known. */
  readonly executeUrl: string | undefined
  /** Public URL of POST /mcp, for texts of the other transport's door; undefined when not known. */
  readonly mcpUrl?: string | undefined
}

/** Limits of a tier; a tier that no setting names gets those of `free`. */
export function tierLimits(settings: Settings, tier: string): TierLimits {
  return (
    (Object.hasOwn(settings.tiers, tier) ? settings.tiers[tier] : undefined) ?? settings.tiers.free
  )
}

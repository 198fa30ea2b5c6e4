/**
 * How to speak to MCP servers, and sessions there, as functions share them. Bound by ADR 0124.
 */
export type UpstreamSessions = {
  /** Undefined for an unknown or expired one. May be a little old. */
  read(id: string, nowMs: number): Promise<Uint8Array | undefined>
  /** The last put counts: of two sessions that were opened at once, one is shared. */
  put(session: {
    readonly id: string
    readonly sealed: Uint8Array
    readonly expiresAtMs: number
  }): Promise<void>
}

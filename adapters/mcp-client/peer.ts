/**
 * How to speak to one MCP server: the revision that a probe found, and the session of a revision
 * that has one. Sessions of HTTP+SSE (2024-11-05) are not spoken.
 */

/** The revision without a handshake. */
export const MODERN_VERSION = '2026-07-28'
/** What `initialize` asks for. */
export const LEGACY_VERSION = '2025-11-25'

/** Revisions that a server may choose in its answer to `initialize`. */
export const LEGACY_VERSIONS: ReadonlySet<string> = new Set([
  '2025-03-26',
  '2025-06-18',
  LEGACY_VERSION,
])

export type Peer = {
  readonly version: string
  /** Of a legacy server that keeps sessions. A secret: whoever has it speaks in the session. */
  readonly sessionId?: string
  readonly serverInfo?: { readonly name: string; readonly version: string }
  readonly instructions?: string
}

export function isModern({ version }: Pick<Peer, 'version'>): boolean {
  return version === MODERN_VERSION
}
